using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Jobs;

/// <summary>Jobs that are cancelled while they wait, run or have ended, and write down what ran.</summary>
[Service]
public sealed class CancelWorks
{
    [Job]
    public Task Mark(int number, CancellationToken ct) => JobMark.RunAsync(CancelMarks.Host, number, CancelMarks.JobTime, CancelMarks.CleanUp, ct);
}
