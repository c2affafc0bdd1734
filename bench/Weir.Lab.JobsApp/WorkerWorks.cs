namespace Weir.Lab.Jobs;

/// <summary>The same in a worker.</summary>
[Service, Isolated]
public sealed class WorkerWorks
{
    [Job]
    public int Nothing(int number) => number;
}
