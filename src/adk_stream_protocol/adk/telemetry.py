"""What a run spends on telemetry: all that is configured, and little where nobody listens."""

from google.adk.telemetry import TelemetryConfig
from google.adk.telemetry.context import ContentCapturingMode
from opentelemetry import metrics, trace
from opentelemetry._logs import get_logger_provider

# One shared config means the same as none and spares ADK a rebuild per delta (google-adk 2.13).
AS_CONFIGURED = TelemetryConfig()
UNHEARD = TelemetryConfig(
    genai_semconv_stability_opt_in="stable",
    capture_message_content=ContentCapturingMode.NO_CONTENT,
    adk_experimental_telemetry_opt_in=False,
)


def telemetry() -> TelemetryConfig:
    """As configured, once anybody has set up OpenTelemetry for traces, metrics or logs."""
    providers = (trace.get_tracer_provider(), metrics.get_meter_provider(), get_logger_provider())
    unheard = all("Proxy" in type(provider).__name__ for provider in providers)
    return UNHEARD if unheard else AS_CONFIGURED
