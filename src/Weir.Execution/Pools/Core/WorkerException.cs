namespace Weir.Execution.Pools.Core;

/// <summary>The text of an exception that a worker logged: its type may not exist in the host.</summary>
/// <param name="text">What the exception's <c>ToString</c> returned there.</param>
internal sealed class WorkerException(string text) : Exception(FirstLine(text))
{
    public override string ToString() => text;

    private static string FirstLine(string text) => text.AsSpan().IndexOfAny('\r', '\n') is var end and >= 0 ? text[..end] : text;
}
