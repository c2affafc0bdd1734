namespace Weir.Execution;

/// <summary>Who is told of calls that ended. Any thread; runs nobody's code.</summary>
internal interface IEndedCalls
{
    /// <summary>A list of calls ended, the last of them first.</summary>
    /// <returns>Goes on with who waited for one, on the thread pool; <c>null</c> where nobody did.</returns>
    IThreadPoolWorkItem? OnEnded(EndedCall last, EndedCall first);
}
