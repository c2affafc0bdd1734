using Weir.Execution.Pipeline;
using Weir.Runtime;

namespace Weir.Execution.Lanes;

/// <summary>Runs calls on the lane. Arguments and results are shared, not copied.</summary>
internal sealed class LaneExecutor(Lane lane, ServiceInstances instances) : IExecutor
{
    private readonly ObjectPool<LaneCall> _kept = new();

    public Lane Lane => lane;

    public ServiceInstances Instances => instances;

    public bool NeedsServices(Service service) => instances.NeedsServices(service);

    public ValueTask RunAsync(Call call, in ExecutionRequest request) => Enqueue(call, null, request);

    public ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in ExecutionRequest request) => Enqueue(call, pump, request);

    /// <summary>Keeps an instance that has run a call, for another call.</summary>
    public void Keep(LaneCall work) => _kept.Return(work);

    private ValueTask Enqueue(Call call, IStreamPump? pump, in ExecutionRequest request)
    {
        var work = _kept.TryRent() ?? new LaneCall(this);
        work.Begin(call, pump, request);
        try
        {
            if (!lane.TryEnqueue(work, request.WaitsForCapacity))
            {
                request.CancellationToken.ThrowIfCancellationRequested();
                throw Full();
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

    private CallRejectedException Full()
    {
        var snapshot = lane.Snapshot();
        return new CallRejectedException(
            WeirCodes.QueueFull,
            $"{snapshot.Queued} calls wait for the lane's {snapshot.Threads} threads; raise Lane.QueueLimit (currently {snapshot.QueueLimit}) or Lane.MaxThreads (currently {snapshot.MaxThreads}). See {WeirCodes.QueueFull}.",
            TimeSpan.FromSeconds(1));
    }
}
