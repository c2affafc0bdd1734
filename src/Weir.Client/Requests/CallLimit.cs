using System.Globalization;
using Weir.Runtime;

namespace Weir.Client.Requests;

/// <summary>What ends one call before its response does: the caller's token, and the deadline if there is one. Owned by the call; copies are the same limit.</summary>
internal readonly struct CallLimit : IDisposable
{
    private readonly string _operation;
    private readonly CancellationToken _caller;
    private readonly TimeSpan? _deadline;
    private readonly CancellationTokenSource? _source;

    internal CallLimit(string operation, TimeSpan? deadline, CancellationToken caller)
    {
        _operation = operation;
        _caller = caller;
        _deadline = Earlier(deadline, AmbientDeadline.Remaining);
        if (_deadline is { } limit)
        {
            _source = CancellationTokenSource.CreateLinkedTokenSource(caller);
            _source.CancelAfter(limit > TimeSpan.Zero ? limit : TimeSpan.Zero);
        }
    }

    /// <summary>Fires when the caller cancels or the deadline passes.</summary>
    internal CancellationToken Token => _source?.Token ?? _caller;

    /// <summary>Sends the deadline to the server, in whole milliseconds.</summary>
    internal void AddHeader(HttpRequestMessage message)
    {
        if (_deadline is { } limit)
        {
            var milliseconds = (int)Math.Min(int.MaxValue, Math.Max(0, Math.Ceiling(limit.TotalMilliseconds)));
            message.Headers.TryAddWithoutValidation("Weir-Deadline-Ms", milliseconds.ToString(CultureInfo.InvariantCulture));
        }
    }

    /// <summary>Throws what the caller expects where the call was ended from this side: the transport throws various exceptions for it.</summary>
    /// <param name="error">What the transport threw.</param>
    /// <exception cref="OperationCanceledException">The caller cancelled.</exception>
    /// <exception cref="DeadlineExceededException">The deadline passed.</exception>
    internal void ThrowIfReached(Exception error)
    {
        if (_caller.IsCancellationRequested)
        {
            throw error is OperationCanceledException cancelled && cancelled.CancellationToken == _caller
                ? cancelled
                : new OperationCanceledException($"The call of {_operation} was cancelled.", error, _caller);
        }

        if (_source is { IsCancellationRequested: true })
        {
            throw new DeadlineExceededException($"The deadline of {_deadline!.Value.TotalMilliseconds:0} ms passed while {_operation} was called.");
        }
    }

    public void Dispose() => _source?.Dispose();

    private static TimeSpan? Earlier(TimeSpan? one, TimeSpan? other) => one is null ? other : other is null || one < other ? one : other;
}
