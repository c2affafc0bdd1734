namespace Weir.Tests.Processes.Interleavings;

/// <summary>Something that may happen, to a call or to a worker.</summary>
internal readonly record struct Step(StepKind Kind, int Index);

internal enum StepKind
{
    Enter,
    Ready,
    Start,
    Finish,
    Send,
    Read,
    Die,
    End,
    Reap,
    Pause,
    Leave,
    Resize,
    Return,
}
