namespace Weir.Execution.Inline;

/// <summary>The synchronous part of one inline call, when it began.</summary>
/// <param name="thread">Runs it.</param>
/// <param name="outer">The operation that the thread was in before.</param>
/// <param name="longMilliseconds">What <see cref="InlineThread.LongMilliseconds"/> was.</param>
/// <param name="began">By <see cref="Environment.TickCount64"/>.</param>
/// <param name="times">Of the thread, where the call is measured.</param>
internal readonly struct InlineRun(InlineThread thread, Operation? outer, long longMilliseconds, long began, ThreadTimes? times)
{
    public InlineThread Thread => thread;

    public Operation? Outer => outer;

    public long LongMilliseconds => longMilliseconds;

    public long Began => began;

    public ThreadTimes? Times => times;
}
