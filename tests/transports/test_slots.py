"""What a principal has open is counted, and can be ended."""

import pytest

from adk_stream_protocol.errors import TooMany
from adk_stream_protocol.transports.slots import OpenSockets, Slots


class Signed:
    is_out = False

    def sign_out(self) -> None:
        self.is_out = True


def test_each_principal_has_so_many() -> None:
    slots = Slots(2, "Enough.")
    first = slots.take("alice")
    slots.take("alice")
    with pytest.raises(TooMany, match="Enough"):
        slots.take("alice")
    slots.take("bob")
    first.give_back()
    slots.take("alice")


def test_a_slot_goes_back_at_the_end_of_its_context_unless_it_is_kept() -> None:
    slots = Slots(1, "Enough.")
    with slots.take("alice"):
        pass
    with slots.take("alice") as slot:
        slot.keep()
    with pytest.raises(TooMany):
        slots.take("alice")
    slot.give_back()
    slots.take("alice")


def test_signing_out_ends_the_sockets_of_one_principal() -> None:
    sockets = OpenSockets(8)
    alices, gone, bobs = Signed(), Signed(), Signed()
    sockets.add("alice", alices)
    sockets.add("alice", gone)
    sockets.add("bob", bobs)
    sockets.remove("alice", gone)
    sockets.sign_out("alice")
    sockets.sign_out("nobody")
    assert (alices.is_out, gone.is_out, bobs.is_out) == (True, False, False)
