using System.Buffers;
using Weir.Protocol;
using Weir.Worker.Channels;
using Weir.Worker.Log;
using Weir.Worker.Start;

namespace Weir.Worker.Calls;

/// <summary>One call from its CALL to its ending. Made by the data thread, run once, on the thread its mode says.</summary>
internal sealed class CallRun : IThreadPoolWorkItem
{
    private readonly CallEnvironment _environment;
    private readonly OperationHost _target;
    private readonly byte[]? _rented;
    private readonly CallParts _parts;
    private readonly ResultEncoding _wished;
    private readonly string? _traceParent;
    private readonly string? _traceState;

    /// <param name="environment">What all calls of this worker share.</param>
    /// <param name="callId">The call's id.</param>
    /// <param name="target">The operation.</param>
    /// <param name="mode">Where it will run.</param>
    /// <param name="fields">The CALL.</param>
    /// <param name="payload">Its payload in the reader's buffer: copied, unless the call runs before the reader goes on.</param>
    /// <exception cref="FrameException">The payload is no CALL of this operation.</exception>
    public CallRun(CallEnvironment environment, ulong callId, OperationHost target, CallMode mode, CallPayload fields, ReadOnlyMemory<byte> payload)
    {
        _environment = environment;
        _target = target;
        CallId = callId;
        Mode = mode;
        if (mode != CallMode.Inline)
        {
            _rented = ArrayPool<byte>.Shared.Rent(Math.Max(1, payload.Length));
            payload.CopyTo(_rented);
            fields = CallPayload.Read(_rented.AsMemory(0, payload.Length));
        }

        _parts = fields.Parts;
        _wished = fields.ResultEncoding;
        _traceParent = fields.TraceParentText();
        _traceState = fields.TraceStateText();
        Credit = new StreamCredit(fields.InitialCredit);
        Stop = new CallStop(environment.Time, fields.RemainingMilliseconds, CallbackFailed);
        foreach (var part in _parts)
        {
            if (part.Kind == PartKind.Raw && part.Parameter >= target.Operation.Parameters.Count)
            {
                throw new FrameException(FrameFault.MalformedPayload, $"a raw part is for parameter {part.Parameter} of {target.Operation}, which has {target.Operation.Parameters.Count}");
            }
        }
    }

    public ulong CallId { get; }

    public CallMode Mode { get; }

    public CallStop Stop { get; }

    public StreamCredit Credit { get; }

    /// <summary>Runs the call where its mode says; on return an inline call has its ending.</summary>
    public void Start()
    {
        switch (Mode)
        {
            case CallMode.Inline:
                RunAsync().GetAwaiter().GetResult();
                break;
            case CallMode.Pumped:
                ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
                break;
            default:
                new Thread(() => RunAsync().GetAwaiter().GetResult()) { Name = $"weir-call-{CallId}", IsBackground = true }.UnsafeStart();
                break;
        }
    }

    // What RunAsync throws must not vanish in a task.
    async void IThreadPoolWorkItem.Execute() => await RunAsync();

    /// <summary>The call will not be started after all.</summary>
    public void Drop()
    {
        Stop.Dispose();
        ReturnArguments();
    }

    // Throws nothing of the user's; what it does throw is a defect of the worker and ends the process.
    private async Task RunAsync()
    {
        CurrentCall.Id = CallId;
        var (frames, result) = _environment.RentBuffers();
        Exception? failure = null;
        try
        {
            if (Stop.IsCancelled)
            {
                throw new OperationCanceledException(Stop.Token);
            }

            if (!Stop.IsPastDeadline)
            {
                using var trace = TraceScope.Start(_target.Operation.FullName, _traceParent, _traceState);
                await ExecuteAsync(frames, result);
            }
        }
        catch (Exception thrown)
        {
            failure = thrown;
        }

        if (!TrySendEnding(frames, failure))
        {
            return;
        }

        Stop.Dispose();
        _environment.ReturnBuffers(frames, result);
        ReturnArguments();
        _environment.Calls.End(this);
    }

    // 1. Bind. 2. Make the instance. 3. Invoke. 4. Encode the result, or send the items. 5. Dispose.
    private async ValueTask ExecuteAsync(FrameWriter frames, PayloadWriter result)
    {
        var call = _target.Operation.CreateCall(_target.Operation);
        var faults = new FaultList { Source = "frame" };
        call.Bind(new FrameArgumentReader(_parts, _target.Operation.Parameters, faults));
        faults.ThrowIfAny();

        var lease = _target.Service.Open();
        Exception? failure = null;
        try
        {
            if (_target.Operation.UsesContext)
            {
                call.Context = new OperationContext(call, lease.Services, Stop.Token, Stop.Deadline);
            }

            await call.InvokeAsync(lease.Instance, Stop.Token);
            if (call is StreamCall stream)
            {
                await new ItemSender(this, _environment, frames, result).SendAllAsync(stream);
            }
            else
            {
                Encode(frames, call, result);
            }
        }
        catch (Exception thrown)
        {
            failure = thrown;
            throw;
        }
        finally
        {
            await DisposeAsync(lease, failure);
        }
    }

    // The frame stays open until the instance is disposed: only then has the call ended well.
    private void Encode(FrameWriter frames, Call call, PayloadWriter result)
    {
        var operation = call.Operation;
        if (operation.ResultKind == ResultKind.None)
        {
            frames.Begin(FrameType.Result, CallId, FrameFlags.NoValue);
            return;
        }

        // Null has no raw form.
        var raw = _wished == ResultEncoding.Raw
            && operation.ResultKind is ResultKind.Text or ResultKind.Bytes
            && !(operation.IsResultNullable && call.Result is null);
        call.WriteResult(result, raw ? ResultEncoding.Raw : ResultEncoding.Json);
        frames.Begin(FrameType.Result, CallId, raw ? FrameFlags.Raw : FrameFlags.None);
        frames.Borrow(result.WrittenMemory);
    }

    /// <summary>Disposes; what that throws fails a call that was well, and is only logged for one that had failed.</summary>
    internal async ValueTask DisposeAsync<T>(T disposable, Exception? failure)
        where T : IAsyncDisposable
    {
        try
        {
            await disposable.DisposeAsync();
        }
        catch (Exception thrown) when (failure is not null)
        {
            WorkerLog.DisposeFailed(_environment.Logger, thrown, CallId, _target.Operation.FullName);
        }
    }

    /// <summary>The same for what a blocking thread disposes.</summary>
    internal void Dispose(IDisposable disposable, Exception? failure)
    {
        try
        {
            disposable.Dispose();
        }
        catch (Exception thrown) when (failure is not null)
        {
            WorkerLog.DisposeFailed(_environment.Logger, thrown, CallId, _target.Operation.FullName);
        }
    }

    // False when the worker ends instead.
    private bool TrySendEnding(FrameWriter frames, Exception? failure)
    {
        if (failure is not null && CallFailure.IsOutOfMemory(failure))
        {
            _environment.Fatal.OutOfMemory(CallId);
            return false;
        }

        try
        {
            WriteEnding(frames, failure);
            _environment.Output.Send(frames);
            return true;
        }
        catch (ChannelEndedException)
        {
            _environment.Fatal.HostGone();
        }
        catch (OutOfMemoryException)
        {
            _environment.Fatal.OutOfMemory(CallId);
        }

        return false;
    }

    private void WriteEnding(FrameWriter frames, Exception? failure)
    {
        if (Stop.IsPastDeadline)
        {
            frames.Discard();
            ErrorPayload.Write(frames, CallId, ErrorKind.DeadlineExceeded);
        }
        else if (failure is not null)
        {
            frames.Discard();
            CallFailure.Write(frames, CallId, failure, Stop);
        }
        else
        {
            try
            {
                frames.End();
            }
            catch (PayloadTooLongException tooLong)
            {
                ErrorPayload.WritePayloadTooLarge(frames, CallId, tooLong.Length, tooLong.Limit);
            }
        }
    }

    private void ReturnArguments()
    {
        if (_rented is not null)
        {
            ArrayPool<byte>.Shared.Return(_rented);
        }
    }

    private void CallbackFailed(Exception thrown) =>
        WorkerLog.CancellationCallbackFailed(_environment.Logger, thrown, CallId, _target.Operation.FullName);
}
