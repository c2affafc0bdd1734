using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Pools.Options;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Shared;

/// <summary>
/// The shared data that the workers of one generation of a pool get. It is read for the first of them, stays for the next ones while the
/// pool keeps the generation, and is closed when neither the pool nor a worker uses it. Any thread.
/// </summary>
/// <param name="store">Of the host.</param>
/// <param name="sources">By name; not changed any more.</param>
/// <param name="isPortable">Whether workers open files.</param>
/// <param name="stamp">What was read before it does not count; 0 for anything.</param>
[SuppressMessage("Design", "CA1001", Justification = "The source of a token without a timer holds nothing.")]
internal sealed class SharedDataSet(SharedDataStore store, IReadOnlyDictionary<string, SharedDataSource> sources, bool isPortable, long stamp)
{
    private readonly Lock _gate = new();
    private readonly (string Name, SharedDataSource Source)[] _sources = [.. sources.OrderBy(static pair => pair.Key, StringComparer.OrdinalIgnoreCase).Select(static pair => (pair.Key, pair.Value))];

    // All of the following under _gate.
    private int _users;
    private bool _isKept;
    private bool _isDropped;
    private Task<SharedDataBlock[]>? _opening;
    private CancellationTokenSource? _abandoned;

    /// <summary>Called when a worker has become ready, or has ended: the pool may not need an earlier generation any more.</summary>
    public Action Changed { get; set; } = static () => { };

    public IEnumerable<string> Names => _sources.Select(static one => one.Name);

    /// <summary>What is read, in the order of the descriptors; empty before.</summary>
    public IReadOnlyList<SharedDataBlock> Blocks
    {
        get
        {
            lock (_gate)
            {
                return _opening is { IsCompletedSuccessfully: true } opened ? opened.Result : [];
            }
        }
    }

    /// <summary>The list in HELLO. Only while it is used.</summary>
    public IReadOnlyList<SharedDataEntry> Entries => [.. Blocks.Select(static block => new SharedDataEntry(block.Name, block.File.Length, block.Generation, block.File.Path))];

    /// <summary>Waits until everything is read. <see cref="Release"/> follows once where this succeeds.</summary>
    /// <exception cref="Processes.LaunchException">A source cannot be read.</exception>
    public async Task UseAsync(CancellationToken cancellationToken)
    {
        Task opening;
        lock (_gate)
        {
            _users++;
            if (_opening is null or { IsFaulted: true } or { IsCanceled: true })
            {
                _abandoned = new CancellationTokenSource();
                _opening = OpenAsync(_abandoned.Token);
            }

            opening = _opening;
        }

        try
        {
            await opening.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            Release();
            throw;
        }

        Keep();
    }

    /// <summary>One user less.</summary>
    public void Release()
    {
        Task<SharedDataBlock[]>? unused;
        CancellationTokenSource? abandoned;
        lock (_gate)
        {
            if (--_users > 0)
            {
                return;
            }

            (unused, abandoned) = (_opening, _abandoned);
            (_opening, _abandoned) = (null, null);
        }

        _ = abandoned?.CancelAsync();
        _ = CloseAsync(unused!);
    }

    /// <summary>The pool starts no more workers with it.</summary>
    public void Drop()
    {
        bool wasKept;
        lock (_gate)
        {
            wasKept = _isKept;
            (_isKept, _isDropped) = (false, true);
        }

        if (wasKept)
        {
            Release();
        }
    }

    /// <summary>What is read, for the snapshot of the pool.</summary>
    public IReadOnlyList<SharedDataSnapshot> Snapshot() => [.. Blocks.Select(static block => new SharedDataSnapshot(block.Name, block.File.Length, block.Generation))];

    // The pool is a user of its own, so that a pool without workers does not read it again.
    private void Keep()
    {
        lock (_gate)
        {
            if (!_isKept && !_isDropped)
            {
                _isKept = true;
                _users++;
            }
        }
    }

    private async Task<SharedDataBlock[]> OpenAsync(CancellationToken cancellationToken)
    {
        var blocks = new List<SharedDataBlock>();
        try
        {
            foreach (var (name, source) in _sources)
            {
                blocks.Add(await store.AcquireAsync(name, source, isPortable, stamp, cancellationToken).ConfigureAwait(false));
            }

            return [.. blocks];
        }
        catch
        {
            ReleaseAll(blocks);
            throw;
        }
    }

    // It may just be opened: then it succeeds although it was abandoned.
    private async Task CloseAsync(Task<SharedDataBlock[]> opening)
    {
        try
        {
            ReleaseAll(await opening.ConfigureAwait(false));
        }
        catch (Exception)
        {
            // It was never open. Those that waited for it have the reason.
        }
    }

    private void ReleaseAll(IEnumerable<SharedDataBlock> blocks)
    {
        foreach (var block in blocks)
        {
            store.Release(block);
        }
    }
}
