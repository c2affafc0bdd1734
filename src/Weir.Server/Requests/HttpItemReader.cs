using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;

namespace Weir.Server.Requests;

/// <summary>
/// The items of one request's body, cut out while it arrives. Nothing is read before an item is asked for, and nothing ahead of
/// it but what the server holds anyway: a sender that is faster than the operation waits in its own connection.
/// </summary>
/// <param name="http">The request.</param>
/// <param name="splitter">Cuts the body.</param>
/// <param name="settings">What bounds it.</param>
internal sealed class HttpItemReader(HttpContext http, ItemSplitter splitter, RequestSettings settings) : ItemReader, IAsyncDisposable
{
    private const int Idle = 0;
    private const int Reading = 1;
    private const int Closed = 2;

    private readonly PipeReader _body = http.Request.BodyReader;
    private readonly TaskCompletionSource _lastRead = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Who has the body, the operation or the request's end: settled by compare-and-swap. The operation has it while it waits for an
    // item and looks at one. The rest is for who has it.
    private int _state;
    private ReadOnlySequence<byte> _rest;
    private bool _isHeld;
    private bool _hasEnded;
    private ITimer? _silence;

    public override string Source => "body";

    public override bool RefusesUnknown => settings.RefuseUnknown;

    public override ReadOnlyMemory<byte> Current => splitter.Current;

    public override ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken)
    {
        Enter();
        bool isTaken;
        try
        {
            isTaken = splitter.TryTake(ref _rest);
        }
        catch
        {
            Leave();
            throw;
        }

        return isTaken ? new ValueTask<bool>(true) : ReadAsync(cancellationToken);
    }

    public override void Release() => Leave();

    /// <summary>The call has ended: whatever its code still does, the body is the server's again.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _state, Closed) == Reading)
        {
            // The call has ended without waiting for the item it asked for.
            _body.CancelPendingRead();
            await _lastRead.Task;
        }

        Advance();
        splitter.Dispose();
        if (_silence is { } timer)
        {
            await timer.DisposeAsync();
        }
    }

    // All bytes that were read are used up.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> ReadAsync(CancellationToken cancellationToken)
    {
        var isTaken = false;
        try
        {
            while (!_hasEnded)
            {
                Advance();
                var read = await WaitAsync(cancellationToken);
                _isHeld = true;
                _rest = read.Buffer;
                _hasEnded = read.IsCompleted;
                isTaken = splitter.TryTake(ref _rest);
                if (isTaken)
                {
                    return true;
                }
            }

            isTaken = splitter.TryEnd();
            return isTaken;
        }
        finally
        {
            if (!isTaken)
            {
                Leave();
            }
        }
    }

    private async ValueTask<ReadResult> WaitAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            var began = settings.Time.GetTimestamp();
            var read = await ReadBodyAsync(cancellationToken);
            if (!read.IsCanceled)
            {
                return read;
            }

            _body.AdvanceTo(read.Buffer.Start);
            ThrowIfClosed();

            // A timer that fired just when something came has interrupted the next reading, which has only begun.
            if (settings.SenderStall is { } stall && settings.Time.GetElapsedTime(began) > stall / 2)
            {
                throw new SenderStalledException(
                    $"{http.Request.Path} got nothing for {stall}, which is WeirServerOptions.SenderStallTimeout. Send an empty line to say that more will come, end the body, or raise it. See {WeirCodes.SenderStalled}.");
            }
        }
    }

    private async ValueTask<ReadResult> ReadBodyAsync(CancellationToken cancellationToken)
    {
        try
        {
            var reading = _body.ReadAsync(cancellationToken);
            if (reading.IsCompleted || settings.SenderStall is not { } stall)
            {
                return await reading;
            }

            // Kept from item to item; a body that never makes anybody wait has none.
            _silence ??= settings.Time.CreateTimer(static body => ((PipeReader)body!).CancelPendingRead(), _body, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            _silence.Change(stall, Timeout.InfiniteTimeSpan);
            try
            {
                return await reading;
            }
            finally
            {
                _silence.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }
        }
        catch (Exception error) when (error is InvalidDataException or InvalidOperationException)
        {
            // A middleware of the application unpacks bodies; each coding has its own word for what does not unpack.
            throw splitter.Malformed("a body in the coding that Content-Encoding names");
        }
        catch (OperationCanceledException error) when (!cancellationToken.IsCancellationRequested)
        {
            throw new SenderLeftException(error, http.RequestAborted);
        }
        catch (IOException error) when (error is not BadHttpRequestException || http.RequestAborted.IsCancellationRequested)
        {
            throw new SenderLeftException(error, http.RequestAborted);
        }
    }

    private void Advance()
    {
        if (_isHeld)
        {
            _isHeld = false;
            _body.AdvanceTo(_rest.Start);
        }
    }

    private void Enter()
    {
        if (Interlocked.CompareExchange(ref _state, Reading, Idle) == Reading)
        {
            throw new InvalidOperationException("The items of a streamed request are asked for one at a time.");
        }

        ThrowIfClosed();
    }

    private void Leave()
    {
        if (Interlocked.CompareExchange(ref _state, Idle, Reading) == Closed)
        {
            _lastRead.SetResult();
        }
    }

    private void ThrowIfClosed()
    {
        if (Volatile.Read(ref _state) == Closed)
        {
            throw new InvalidOperationException("The items of a streamed request end with its call.");
        }
    }
}
