using System;
using System.Threading;

namespace Weir.Lab.Isolation;

/// <summary>A result that is not there yet: what was used before <c>Task</c> existed.</summary>
public sealed class PendingTask : IDisposable
{
    public PendingTask(bool isDone = false) => Done = new ManualResetEventSlim(isDone);

    /// <summary>Set once <see cref="ReturnValue"/> may be read.</summary>
    public ManualResetEventSlim Done { get; }

    public string? ReturnValue { get; set; }

    public void Dispose() => Done.Dispose();
}
