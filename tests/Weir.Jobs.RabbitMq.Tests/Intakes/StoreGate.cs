using Weir.Jobs.Storage;

namespace Weir.Jobs.RabbitMq.Tests.Intakes;

/// <summary>Holds the commits of new jobs, or lets them fail.</summary>
internal sealed class StoreGate
{
    private volatile TaskCompletionSource? _closed;
    private volatile JobStoreException? _failure;
    private int _waiting;
    private int _committed;
    private int _existing;
    private int _refused;

    /// <summary>How many jobs the commit has that waits.</summary>
    public int Waiting => Volatile.Read(ref _waiting);

    /// <summary>How many new jobs were committed.</summary>
    public int Count => Volatile.Read(ref _committed);

    /// <summary>How many submissions found their job.</summary>
    public int Existing => Volatile.Read(ref _existing);

    /// <summary>How many submissions the largest commit had. One commit is made at a time.</summary>
    public int Largest { get; private set; }

    /// <summary>How many jobs were in commits that failed.</summary>
    public int Refused => Volatile.Read(ref _refused);

    public void Close() => _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Open()
    {
        var closed = _closed;
        (_closed, _failure) = (null, null);
        closed?.TrySetResult();
    }

    public void Fail(JobStoreException failure) => _failure = failure;

    public async Task PassAsync(int jobs)
    {
        if (_closed is { } closed)
        {
            Volatile.Write(ref _waiting, jobs);
            await closed.Task;
            Volatile.Write(ref _waiting, 0);
        }

        if (_failure is { } failure)
        {
            Interlocked.Add(ref _refused, jobs);
            throw failure;
        }
    }

    public void Committed(int jobs, int existing)
    {
        Interlocked.Add(ref _committed, jobs);
        Interlocked.Add(ref _existing, existing);
        Largest = Math.Max(Largest, jobs + existing);
    }

}
