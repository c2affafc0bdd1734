using Weir.Jobs.Rules;
using Weir.Jobs.Storage;
using Weir.Runtime;

namespace Weir.Jobs.Running;

/// <summary>
/// Stores the items of one attempt as they are made. Some may be on their way while the next are made: at most <see cref="MostOnTheWay"/> of them and about 1 MB. One producer.
/// </summary>
/// <param name="scheduler">Writes them.</param>
/// <param name="job">Whose they are.</param>
/// <param name="stop">Ends the attempt: its items are refused.</param>
internal sealed class JobItemPump(JobScheduler scheduler, JobRecord job, Action stop) : IStreamPump
{
    public const int MostItem = 1024 * 1024;
    public const long MostOfJob = 256L * 1024 * 1024;
    private const int MostOnTheWay = 64;

    private readonly Lock _gate = new();

    // Under _gate. Bounded by MostOnTheWay and MostItem: what was made while the write before is on its way.
    private List<ReadOnlyMemory<byte>> _made = [];
    private int _madeBytes;
    private bool _isWriting;
    private Task _writing = Task.CompletedTask;

    private long _bytes;
    private long _count;
    private volatile bool _isRefused;

    /// <summary>Whether items were not stored, because the attempt is not the job's any more. Known when <see cref="CompleteAsync"/> has ended.</summary>
    public bool IsRefused => _isRefused;

    public async ValueTask PumpAsync(ItemSource source, CancellationToken cancellationToken)
    {
        using var output = new PayloadWriter();
        while (await source.MoveNextAsync())
        {
            if (source is not EncodedItemSource)
            {
                // What a worker makes ends with the worker's answer.
                cancellationToken.ThrowIfCancellationRequested();
            }

            output.Clear();
            source.WriteCurrent(output);
            Add(output);
            if (Flush() is { } full)
            {
                await full;
            }
        }
    }

    public void Pump(BlockingItemSource source, CancellationToken cancellationToken)
    {
        using var output = new PayloadWriter();
        while (!cancellationToken.IsCancellationRequested && source.MoveNext())
        {
            output.Clear();
            source.WriteCurrent(output);
            Add(output);

            // A thread of the lane may block: that is its purpose.
            Flush()?.GetAwaiter().GetResult();
        }

        cancellationToken.ThrowIfCancellationRequested();
    }

    /// <summary>Waits until all items are stored or refused.</summary>
    /// <returns>How many were made.</returns>
    public async Task<long> CompleteAsync()
    {
        await (Flush() ?? _writing);
        return _count;
    }

    private void Add(PayloadWriter output)
    {
        if (output.Length > MostItem)
        {
            throw TooLarge($"item {job.Items + _count} takes {output.Length} bytes; an item may have {MostItem}");
        }

        _bytes += output.Length;
        if (_bytes > MostOfJob)
        {
            throw TooLarge($"its items take more than {MostOfJob} bytes");
        }

        _count++;
        lock (_gate)
        {
            _made.Add(output.WrittenSpan.ToArray());
            _madeBytes += output.Length;
        }
    }

    // Hands on what was made if nothing is on its way; otherwise the write on its way takes it with it. Waits where too much was made.
    private Task? Flush()
    {
        lock (_gate)
        {
            if (!_isWriting)
            {
                _isWriting = true;
                _writing = WriteAsync();
            }

            return _made.Count >= MostOnTheWay || _madeBytes >= MostItem ? _writing : null;
        }
    }

    private async Task WriteAsync()
    {
        while (true)
        {
            List<ReadOnlyMemory<byte>> items;
            lock (_gate)
            {
                if (_made.Count == 0)
                {
                    _isWriting = false;
                    return;
                }

                items = _made;
                (_made, _madeBytes) = ([], 0);
            }

            try
            {
                var stored = await scheduler.AppendAsync(new NewItems { Id = job.Id, Fence = job.Status.Fence, Items = items });
                if (stored.Verdict != JobVerdict.Applied)
                {
                    _isRefused = true;
                    stop();
                }
            }
            catch (JobStoreException)
            {
                // Nothing can be stored any more.
                stop();
            }
        }
    }

    private PayloadTooLargeException TooLarge(string what) => new(
        CallStatus.HandlerFailed, $"Of job {job.Id} of {job.Kind}, {what}: store what is large elsewhere, and return where. See {WeirCodes.PayloadTooLarge}.");
}
