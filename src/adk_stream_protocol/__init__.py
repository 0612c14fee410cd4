"""Google ADK agents behind Vercel AI SDK front ends."""
