"""Tasks that nobody awaits."""

import asyncio

from adk_stream_protocol.background_tasks import BackgroundTasks


async def test_jobs_are_waited_for_together() -> None:
    tasks, done = BackgroundTasks(), list[int]()

    async def job(number: int) -> None:
        await asyncio.sleep(0)
        done.append(number)

    for number in range(3):
        tasks.spawn(job(number))
    await tasks.done()
    assert sorted(done) == [0, 1, 2]
    await tasks.done()


async def test_a_job_that_others_wait_for() -> None:
    async def job() -> None:
        raise ValueError("for the one who waits")

    (found,) = await asyncio.gather(BackgroundTasks().begin(job()), return_exceptions=True)
    assert isinstance(found, ValueError)


async def test_all_are_stopped_at_their_next_wait() -> None:
    tasks = BackgroundTasks()
    forever = asyncio.Event()
    job = tasks.begin(forever.wait())  # pyright: ignore[reportArgumentType]
    await asyncio.sleep(0)
    tasks.cancel()
    await tasks.done()
    assert job.cancelled()


async def test_patience_ends() -> None:
    tasks = BackgroundTasks()
    job = tasks.begin(asyncio.sleep(3600))
    await tasks.done(seconds=0.01)
    assert not job.done()
    tasks.cancel()
    await tasks.done()
