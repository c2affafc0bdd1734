namespace Weir.Protocol.Payloads;

/// <summary>A named value of a log record or of a scope.</summary>
/// <param name="Name">Its name, as in the message template.</param>
/// <param name="Kind">Its type.</param>
/// <param name="Text">Its text, in the invariant culture; empty for <see cref="LogValueKind.Null"/>.</param>
internal readonly record struct LogValue(string Name, LogValueKind Kind, string Text);
