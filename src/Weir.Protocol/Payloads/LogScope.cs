namespace Weir.Protocol.Payloads;

/// <summary>A scope that was open when a log record was made.</summary>
/// <param name="Text">The scope as text.</param>
/// <param name="Values">Its values; empty for a scope that is only text.</param>
internal sealed record LogScope(string Text, IReadOnlyList<LogValue> Values);
