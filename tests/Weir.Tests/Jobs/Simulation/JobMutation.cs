namespace Weir.Tests.Jobs.Simulation;

/// <summary>Rules of jobs that are broken on purpose, to see that the simulation notices.</summary>
internal enum JobMutation
{
    None,

    /// <summary>Every job is repeated when how it ended is not known.</summary>
    RepeatsEverything,

    /// <summary>A job that ends its workers is started without a limit.</summary>
    ForgetsCrashes,

    /// <summary>A job whose replicas are lost is started without a limit.</summary>
    ForgetsLosses,

    /// <summary>A job that throws is tried without a limit.</summary>
    ForgetsAttempts,

    /// <summary>What an earlier attempt reports counts for the current one.</summary>
    IgnoresFences,

    /// <summary>What an attempt reports a second time counts again.</summary>
    CountsTwice,

    /// <summary>An outcome is dropped that comes after its replica was presumed to be gone.</summary>
    LosesLateOutcomes,

    /// <summary>A job that succeeds after its timeout fails.</summary>
    LosesLateSuccess,

    /// <summary>A waiting job that is cancelled runs all the same.</summary>
    ForgetsCancel,

    /// <summary>The next attempt follows without a pause.</summary>
    ForgetsPauses,

    /// <summary>A job that waits for a time is never due.</summary>
    NeverDue,
}
