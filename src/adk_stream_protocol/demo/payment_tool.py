"""process_payment: the demo's dangerous tool. A person is asked only about what could be paid."""

from collections.abc import Callable
from typing import Any, cast

from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext

from adk_stream_protocol.adk.task_context import idempotency_key
from adk_stream_protocol.demo.wallet import Payment, Wallet


def payment_tool(wallet: Wallet) -> FunctionTool:
    """The tool that pays from this wallet."""

    async def process_payment(
        amount: float, recipient: str, tool_context: ToolContext, currency: str = "USD"
    ) -> dict[str, Any]:
        """Send money from the user's wallet.

        Args:
          amount: How much to send, a positive number with at most two decimals.
          recipient: The name of the person who receives it.
          currency: USD, EUR or JPY.
        """
        payment = Payment(amount, recipient, currency)
        # Nobody is asked about a call that is refused. It is refused here, and even if the balance
        # has risen since, it is not paid.
        if not _approved(tool_context):
            refused = await wallet.refusal(tool_context.user_id, payment)
            return {"error": refused or "This payment was not approved."}
        return await wallet.pay(tool_context.user_id, idempotency_key(tool_context), payment)

    # ADK calls this with the model's arguments as they are, and the gate also with too few of them.
    async def needs_approval(
        tool_context: ToolContext,
        amount: Any = None,
        recipient: Any = None,
        currency: Any = "USD",
    ) -> bool:
        payment = Payment(amount, recipient, currency)
        return await wallet.refusal(tool_context.user_id, payment) is None

    # google-adk 2.13 awaits the predicate, though its annotation leaves no room for that.
    return FunctionTool(
        process_payment, require_confirmation=cast(Callable[..., bool], needs_approval)
    )


def _approved(tool_context: ToolContext) -> bool:
    confirmation = tool_context.tool_confirmation
    return confirmation is not None and confirmation.confirmed
