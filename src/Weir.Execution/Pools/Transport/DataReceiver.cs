using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Processes;
using Weir.Execution.Threading;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Protocol.SharedMemory;

namespace Weir.Execution.Pools.Transport;

/// <summary>
/// Reads one worker's data channel on a dedicated thread, which waits in the kernel while nothing comes. No user code runs here: results
/// are copied, exceptions are created, the rest is decided by the pool. Answers that were read together are one event.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "Finish is its end, and gives the buffer back.")]
internal sealed class DataReceiver(WorkerConnection connection, WorkerChannel channel, PoolCore core, PoolReports reports, PoolDefinition definition)
{
    // It parses and copies; nothing recurses.
    private const int StackSize = 256 * 1024;

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // The reader's thread, then the thread of the worker's lifetime: what was received, answers that are not reported yet, and the stream
    // whose items come.
    private readonly FrameReader _frames = new(FrameRoute.DataUp, definition.Options.PayloadLimitBytes);
    private readonly CompletionProcessor _answers = new(connection, core, reports, definition.Name);
    private ItemPipe? _items;
    private ulong _streamId;
    private bool _isBroken;

    /// <summary>Completes when everything was read and reported to the pool.</summary>
    public Task Ended => _ended.Task;

    public void Start(string name) =>
        Callbacks.CreateThread(name, this, static reader => reader.Run(), static (reader, failure) => reader._ended.TrySetException(failure), StackSize).UnsafeStart();

    /// <summary>
    /// The process is gone: what it had finished and not sent is reported like everything it sent, and then the pool decides about every
    /// call of it that has no answer.
    /// </summary>
    /// <returns>What was found in its shared memory.</returns>
    public SalvageOutcome Finish()
    {
        var outcome = SalvageOutcome.Nothing;
        if (connection.SharedMemory is { } region && !_isBroken)
        {
            Guarded(region, region =>
            {
                outcome = region.Salvage(_frames);
                ReadFrames();
            });
        }

        _frames.Dispose();
        core.ChannelEnded(connection.Worker, isReaped: true);
        return outcome;
    }

    private void Run()
    {
        Guarded(this, static reader => reader.ReadToTheEnd());
        _ended.SetResult();
    }

    // An error of Weir while reading one worker must not end the host either: that worker is killed.
    private void Guarded<TState>(TState state, Action<TState> read)
    {
        try
        {
            read(state);
        }
        catch (FrameException violation)
        {
            Break(violation.Message);
        }
        catch (Exception failure)
        {
            Break($"reading it failed: {failure}");
        }
    }

    private void Break(string message)
    {
        _isBroken = true;
        connection.OnViolation(message, isUnreadable: true);
    }

    private void ReadToTheEnd()
    {
        Read();
        if (!_isBroken)
        {
            // An incomplete frame is not a violation when a worker failed: the rest of it may be in its shared memory.
            connection.CloseData();
            core.ChannelEnded(connection.Worker, isReaped: false);
        }
    }

    private void Read()
    {
        int received;
        while (!_isBroken && (received = channel.Receive(_frames.GetSpan())) > 0)
        {
            _frames.Advance(received);
            ReadFrames();
        }
    }

    private void ReadFrames()
    {
        try
        {
            while (_frames.TryRead(out var frame))
            {
                OnFrame(frame);
            }
        }
        finally
        {
            // Before their bytes are overwritten; also when a frame behind them is wrong.
            _answers.Report();
        }
    }

    private void OnFrame(in Frame frame)
    {
        if ((frame.Flags & FrameFlags.Head) != 0)
        {
            // As with ERROR: it must be readable before it counts.
            _ = connection.SendsHeads ? ResponseHead.Read(frame.Type, frame.Payload, out _) : throw CompletionProcessor.Unexpected(frame);
        }

        switch (frame.Type)
        {
            case FrameType.Started when connection.SharedMemory is null:
                _answers.Report();
                if (!core.Started(connection.Worker, frame.CallId))
                {
                    throw CompletionProcessor.Unexpected(frame);
                }

                break;

            case FrameType.Item:
                _answers.Report();
                if (frame.CallId != _streamId || _items is null)
                {
                    _items = (core.Item(connection.Worker, frame.CallId) as PoolCall)?.Items ?? throw CompletionProcessor.Unexpected(frame);
                    _streamId = frame.CallId;
                }

                _items.Accept(frame);
                break;

            case FrameType.Credit:
                // A worker that asks for items of a call has started it, like one that sends items.
                _answers.Report();
                var sender = (core.Item(connection.Worker, frame.CallId) as PoolCall)?.Request ?? throw CompletionProcessor.Unexpected(frame);
                sender.Grant(connection, frame.CallId, CreditPayload.Read(frame.Payload).Bytes);
                break;

            case FrameType.Error:
                // It must be readable before it counts.
                ErrorPayload.Read(frame.Payload);
                Keep(frame);
                break;

            case FrameType.Result:
                Keep(frame);
                break;

            default:
                throw CompletionProcessor.Unexpected(frame);
        }
    }

    private void Keep(in Frame frame)
    {
        if (frame.CallId == _streamId)
        {
            _items = null;
        }

        _answers.Keep(frame);
    }
}
