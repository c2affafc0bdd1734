using System.Text;
using Microsoft.Extensions.Logging;
using Weir.Execution.Diagnostics;
using Weir.Execution.Threading;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Core;

/// <summary>
/// What a pool's workers print and log, on its way to the host's loggers. Loggers are the user's code, so a thread of the thread pool calls
/// them while something waits, never the threads that read; what the loggers are too slow for is dropped and counted.
/// </summary>
internal sealed class WorkerLog : IWorkItem, IAsyncDisposable
{
    // At 8 KB a line this is 16 MB of text; records that are all as long as they may be take 128 MB. As many errors again may wait, so that
    // they are the last to be dropped.
    private const int MostWaiting = 1024;

    // The host's limits, in characters; a well-behaved worker shortens its text itself.
    private const int MostText = 2 * LogPayload.MostText;
    private const int MostName = 1024;

    // Template, values and scopes together; with more, the text of the record has to do.
    private const int MostDetails = 3 * LogPayload.MostText;

    // A worker chooses the categories of its records; any beyond this number are logged in the pool's own category.
    private const int MostCategories = 256;

    private readonly ILoggerFactory _loggers;
    private readonly ILogger _logger;
    private readonly Lock _gate = new();
    private long _dropped;

    // Under _gate. At most 2 * MostWaiting items.
    private readonly Queue<LogItem> _waiting = new();
    private bool _isWriting;
    private bool _isClosed;

    // Set by DisposeAsync, under _gate, if something is still being written.
    private TaskCompletionSource? _written;

    // Only the writing thread uses it.
    private Dictionary<string, ILogger>? _categories;

    public WorkerLog(ILoggerFactory loggers, string category)
    {
        _loggers = loggers;
        _logger = loggers.CreateLogger(category);
        LeastLevel = LogLevel.Trace;
        while (LeastLevel < LogLevel.None && !_logger.IsEnabled(LeastLevel))
        {
            LeastLevel++;
        }
    }

    /// <summary>The lowest level that is worth sending, by the pool's own category.</summary>
    public LogLevel LeastLevel { get; }

    /// <summary>Logs a message of the pool itself; not from a reading thread.</summary>
    public void Write<TState>(TState state, Action<ILogger, TState> write)
    {
        try
        {
            write(_logger, state);
        }
        catch (Exception)
        {
            // There is nowhere to report that a logger throws, and a worker's lifetime does not depend on it.
        }
    }

    /// <summary>Whether lines that workers print are logged.</summary>
    public bool TakesLines => LeastLevel <= LogLevel.Information;

    /// <summary>A line that a worker printed, for <see cref="Add"/>. Programs print progress and help on both streams: none is a warning.</summary>
    public static LogItem Line(int processId, RunningCall running, ReadOnlySpan<byte> utf8, bool cut)
    {
        var text = Encoding.UTF8.GetString(utf8);
        return new LogItem(LogLevel.Information, default, null, cut ? text + " …" : text, processId, running);
    }

    /// <summary>A record that a worker logged. Any thread; never blocks.</summary>
    public void Record(int processId, RunningCall running, in LogPayload record)
    {
        if (record.Dropped > 0)
        {
            Interlocked.Add(ref _dropped, record.Dropped);
        }

        var id = new EventId(record.EventId, Cut(record.EventName, MostName));
        Add(new LogItem((LogLevel)record.Level, id, Cut(record.Category, MostName), Cut(record.Message, MostText), processId, running)
        {
            Details = record.Details is { Length: <= MostDetails } details ? details : null,
            Exception = Cut(record.Exception, MostText),
        });
    }

    /// <summary>Writes what is waiting, then ends.</summary>
    public async ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _isClosed = true;
            if (!_isWriting)
            {
                return;
            }

            _written = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        await _written.Task;
    }

    void IWorkItem.Run()
    {
        while (TryTake() is { } item)
        {
            Write(item);
        }
    }

    // Exceptions of loggers are handled where they are called.
    void IWorkItem.OnFailed(Exception failure)
    {
    }

    private static string Cut(string text, int most) => text.Length <= most ? text : text[..most] + " …";

    /// <summary>Logs an item soon. Any thread; never blocks.</summary>
    public void Add(LogItem item)
    {
        lock (_gate)
        {
            if (_isClosed || _waiting.Count >= (item.Level < LogLevel.Error ? MostWaiting : 2 * MostWaiting))
            {
                Interlocked.Increment(ref _dropped);
                return;
            }

            _waiting.Enqueue(item);
            if (_isWriting)
            {
                return;
            }

            _isWriting = true;
        }

        Callbacks.Queue(this);
    }

    private LogItem? TryTake()
    {
        lock (_gate)
        {
            if (_waiting.TryDequeue(out var item))
            {
                return item;
            }

            _isWriting = false;
            _written?.SetResult();
            return null;
        }
    }

    private void Write(LogItem item)
    {
        try
        {
            WorkerScope.Log(item.Category is null ? _logger : Category(item.Category), item);
            var dropped = Interlocked.Exchange(ref _dropped, 0);
            if (dropped > 0)
            {
                PoolLog.OutputDropped(_logger, dropped);
            }
        }
        catch (Exception)
        {
            // There is nowhere to report that a logger throws; the next line may succeed.
        }
    }

    private ILogger Category(string name)
    {
        _categories ??= new Dictionary<string, ILogger>(StringComparer.Ordinal);
        if (_categories.TryGetValue(name, out var logger))
        {
            return logger;
        }

        return _categories.Count == MostCategories ? _logger : _categories[name] = _loggers.CreateLogger(name);
    }
}
