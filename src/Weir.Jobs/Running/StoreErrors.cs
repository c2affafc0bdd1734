using Weir.Jobs.Storage;

namespace Weir.Jobs.Running;

/// <summary>What callers get when the store does not do what they ask for.</summary>
internal static class StoreErrors
{
    /// <summary>The application has stopped.</summary>
    public static JobStoreException Closed() => new("The application has stopped.") { IsFinal = true };

    /// <summary>A submission was not stored.</summary>
    public static CallRejectedException Unavailable(Exception failure) => new(
        WeirCodes.JobStoreUnavailable, $"The store of jobs does not accept jobs now: {failure.Message} Nothing was stored. See {WeirCodes.JobStoreUnavailable}.", TimeSpan.FromSeconds(1));

    /// <summary>A submission was not stored, because there is no space.</summary>
    public static CallRejectedException NoSpace() => new(
        WeirCodes.JobStoreUnavailable, $"The store of jobs has no space for more jobs: free space on its disk. Nothing was stored. See {WeirCodes.JobStoreUnavailable}.", TimeSpan.FromSeconds(10));

    /// <summary>A question was not answered.</summary>
    public static CallRejectedException NoAnswer(Exception failure) => new(
        WeirCodes.JobStoreUnavailable, $"The store of jobs does not answer now: {failure.Message} See {WeirCodes.JobStoreUnavailable}.", TimeSpan.FromSeconds(1));
}
