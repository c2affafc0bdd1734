namespace Weir.Execution.Lanes;

/// <summary>Runs calls on the lane. Arguments and results are shared, not copied.</summary>
internal sealed class LaneExecutor(Lane lane) : IExecutor
{
    public ValueTask RunAsync(Call call, in ExecutionRequest request) => Enqueue(new LaneCall(lane, call, null, request), request);

    public ValueTask RunStreamAsync(StreamCall call, IStreamPump pump, in ExecutionRequest request) =>
        Enqueue(new LaneCall(lane, call, pump, request), request);

    private ValueTask Enqueue(LaneCall work, in ExecutionRequest request)
    {
        if (!lane.TryEnqueue(work, request.WaitsForRoom))
        {
            var snapshot = lane.Snapshot();
            throw new CallRejectedException(
                WeirCodes.QueueFull,
                $"{snapshot.Queued} calls wait for the lane's {snapshot.Threads} threads; raise Lane.QueueLimit (currently {snapshot.QueueLimit}) or Lane.MaxThreads (currently {snapshot.MaxThreads}). See {WeirCodes.QueueFull}.",
                TimeSpan.FromSeconds(1));
        }

        return work.WhenEndedAsync(request.CancellationToken);
    }
}
