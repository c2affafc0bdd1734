using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Interleavings;

/// <summary>One call of the model.</summary>
internal sealed class ModelCall(int number, bool mayRunTwice, OperationTime? time) : UnhostedCall
{
    public int Number { get; } = number;

    public bool MayRunTwice { get; } = mayRunTwice;

    public int Runs { get; set; }

    public bool WasStarted { get; set; }

    /// <summary>Its answer cannot be lost any more, even if its worker fails.</summary>
    public bool IsSafe { get; set; }

    public string? Ending { get; private set; }

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
            throw new InvalidOperationException($"call {Number} ended as {Ending} and as {how}");
        }

        Ending = how;
        var holds = how switch
        {
            "answered" => IsSafe,
            nameof(PoolActionKind.FailLost) => WasStarted && !IsSafe,
            nameof(PoolActionKind.RejectFull) => !WasStarted,
            "left" => true,
            _ => false,
        };
        if (!holds)
        {
            throw new InvalidOperationException($"call {Number} ended as {how}: {(WasStarted ? "started" : "not started")}, {(IsSafe ? "finished" : "not finished")}");
        }
    }
}
