using Weir.Execution.Pipeline;
using Weir.Runtime;

namespace Weir.Execution.Lanes;

/// <summary>Runs calls on the lane. Arguments and results are shared, not copied.</summary>
internal sealed class LaneExecutor(Lane lane, ServiceInstances instances) : IExecutor
{
    private readonly ObjectPool<LaneCall> _kept = new();

    public Lane Lane => lane;

    public ServiceInstances Instances => instances;

    public UnservedCalls? Unserved => lane.Unserved;

    public bool NeedsServices(Service service) => instances.NeedsServices(service);

    public ValueTask RunAsync(Call call, in CallRequest request) => Enqueue(call, null, request);

    public ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in CallRequest request) => Enqueue(call, pump, request);

    /// <summary>Keeps an instance that has run a call, for another call.</summary>
    public void Keep(LaneCall work) => _kept.Return(work);

    private ValueTask Enqueue(Call call, IStreamPump? pump, in CallRequest request)
    {
        var work = _kept.TryRent() ?? new LaneCall(this);
        work.Begin(call, pump, request);
        try
        {
            if (!lane.TryEnqueue(work, request.Admission))
            {
                request.CancellationToken.ThrowIfCancellationRequested();
                lane.Rejected();
                throw request.Admission == CallAdmission.Free ? Busy() : Full();
            }
        }
        catch
        {
            work.Refuse();
            throw;
        }

        // From here on the lane owns it, and it may already be in use for another call.
        return call.WhenEnded;
    }

    // A caller who asked for a free thread expects this: it is not reported.
    private CallRejectedException Busy() => new(
        WeirCodes.QueueFull,
        $"Every thread of the lane runs a call, and the caller asked for a free one (Admission is Free): try again later, raise Lane.MaxThreads (currently {lane.Snapshot().MaxThreads}), or let the call wait in the queue. See {WeirCodes.QueueFull}.",
        TimeSpan.FromSeconds(1));

    private CallRejectedException Full()
    {
        var snapshot = lane.Snapshot();
        Unserved?.Note(UnservedReason.QueueFull);
        return new CallRejectedException(
            WeirCodes.QueueFull,
            $"{snapshot.Queued} calls wait for the lane's {snapshot.Threads} threads; raise Lane.QueueLimit (currently {snapshot.QueueLimit}) or Lane.MaxThreads (currently {snapshot.MaxThreads}). See {WeirCodes.QueueFull}.",
            TimeSpan.FromSeconds(1));
    }
}
