namespace Weir.Jobs.TestHost;

/// <summary>Jobs in workers.</summary>
[Service, Isolated("work")]
public sealed class IsolatedWork
{
    [Job]
    public void Once(int number, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        step.Done();
    }

    [Job, Idempotent]
    public void Repeatable(int number, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        step.Done();
    }

    /// <summary>Never beside another one of its key.</summary>
    [Job(Key = nameof(key), MaxPerKey = 1), Idempotent]
    public void AloneRepeatable(string key, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        using var alone = Oracle.Alone(key);
        Thread.Sleep(3);
        step.Done();
    }

    /// <summary>Never returns, whatever its token says.</summary>
    [Job]
    public void Endless(int number, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        Thread.Sleep(TimeSpan.FromMinutes(10));
        step.Done();
    }

    [Job]
    public void EndsWorker(int number, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        Environment.FailFast("a job ends its worker");
    }

    [Job, Idempotent]
    public void EndsWorkerRepeatable(int number, OperationContext context)
    {
        using var step = Oracle.Begin(context);
        Environment.FailFast("a job ends its worker");
    }
}
