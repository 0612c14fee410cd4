"""What a run spends on telemetry: all that is configured, and little where nobody listens."""

from google.adk.telemetry import TelemetryConfig
from google.adk.telemetry.context import ContentCapturingMode

from adk_stream_protocol.adk.private import has_telemetry

# One shared config means the same as none and spares ADK a rebuild per delta (google-adk 2.13).
AS_CONFIGURED = TelemetryConfig()
UNHEARD = TelemetryConfig(
    genai_semconv_stability_opt_in="stable",
    capture_message_content=ContentCapturingMode.NO_CONTENT,
    adk_experimental_telemetry_opt_in=False,
)


def telemetry() -> TelemetryConfig:
    """Return what is configured, once anybody has set up OpenTelemetry; the cheapest before."""
    return AS_CONFIGURED if has_telemetry() else UNHEARD
