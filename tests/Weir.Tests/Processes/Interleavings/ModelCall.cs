using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Interleavings;

/// <summary>One call of the model.</summary>
internal sealed class ModelCall(Model model, int number, bool mayRunTwice, OperationTime? time) : CallEntry
{
    public int Number { get; } = number;

    public bool MayRunTwice { get; } = mayRunTwice;

    public int Runs { get; set; }

    public bool WasStarted { get; set; }

    /// <summary>Its answer cannot be lost any more, even if its worker fails.</summary>
    public bool IsSafe { get; set; }

    /// <summary>The worker whose frames may refer to its memory.</summary>
    public ModelWorker? Lender { get; set; }

    public string? Ending { get; private set; }

    public override Operation? Operation => null;

    public override CancellationToken Token => default;

    public override bool IsLate => false;

    public override bool TryTakePlace() => true;

    public override Exception? TryWrite() => null;

    public override void Fail(PoolActionKind decision, IPoolWorker? worker, string cause) => End(decision.ToString());

    public override void Fail(Exception failure) => throw model.Wrong($"{failure}");

    public override void Abandon(Exception reason) => End("left");

    public ModelCall Prepare()
    {
        Time = time;
        IsIdempotent = MayRunTwice;
        Bytes = 100;
        return this;
    }

    public void End(string how)
    {
        if (Ending is not null)
        {
            throw model.Wrong($"call {Number} ended as {Ending} and as {how}");
        }

        Ending = how;
        var holds = how switch
        {
            "answered" => IsSafe,
            nameof(PoolActionKind.FailLost) => WasStarted && !IsSafe,
            nameof(PoolActionKind.RejectFull) => model.IsResized && !WasStarted,
            "left" => true,
            _ => false,
        };
        if (!holds)
        {
            throw model.Wrong($"call {Number} ended as {how}: {(WasStarted ? "started" : "not started")}, {(IsSafe ? "finished" : "not finished")}");
        }
    }
}
