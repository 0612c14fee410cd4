"""The store in memory: what of it is its own."""

from adk_stream_protocol.approvals.memory import MemoryApprovalStore
from tests.support.records import entry, record


async def test_the_oldest_records_make_room() -> None:
    store = MemoryApprovalStore(most=2)
    records = [record() for _ in range(3)]
    for one in records:
        await store.create(one, entry(one))
    assert await store.get(records[0].id) is None
    assert await store.listed(None, None) == records[1:]


async def test_a_limit_takes_the_newest() -> None:
    store = MemoryApprovalStore()
    records = [record() for _ in range(3)]
    for one in records:
        await store.create(one, entry(one))
    assert await store.listed(None, 1) == records[2:]


async def test_a_record_that_made_room_is_not_moved() -> None:
    store, one = MemoryApprovalStore(most=1), record()
    await store.create(one, entry(one))
    await store.create(another := record(), entry(another))
    assert not await store.move(one, one.cancel("late"), entry(one, "cancel"))
    assert [line.event for line in await store.trail(one.id)] == ["request"]
