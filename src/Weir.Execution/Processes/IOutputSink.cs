namespace Weir.Execution.Processes;

/// <summary>Receives what one worker prints.</summary>
internal interface IOutputSink
{
    /// <summary>One line without its line end. Called on the thread that serves all workers: never blocks, never runs user code, does not keep the span.</summary>
    /// <param name="stream">The stream on which it was printed.</param>
    /// <param name="utf8">The bytes as printed, usually UTF-8.</param>
    /// <param name="cut">The line was longer; the rest of it is dropped.</param>
    void OnLine(OutputStream stream, ReadOnlySpan<byte> utf8, bool cut);
}
