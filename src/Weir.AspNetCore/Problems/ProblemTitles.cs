namespace Weir.AspNetCore.Problems;

/// <summary>What each code means, in one line.</summary>
internal static class ProblemTitles
{
    internal static string Of(string code) => code switch
    {
        WeirCodes.ContractChanged => "The client has another contract of the operation",
        WeirCodes.BadArguments => "The arguments cannot be bound",
        WeirCodes.OperationNotFound => "The operation does not exist",
        WeirCodes.MethodNotAllowed => "The operation does not accept this verb",
        WeirCodes.NotAcceptable => "The operation has no format that the request accepts",
        WeirCodes.BodyTooLarge => "The request body is too large",
        WeirCodes.UnsupportedMediaType => "The operation does not support this media type",
        WeirCodes.HandlerFailed => "The operation failed",
        WeirCodes.QueueFull => "Too many calls are waiting",
        WeirCodes.Draining => "The server is shutting down",
        WeirCodes.DeadlineExceeded => "The deadline passed",
        WeirCodes.WorkerLost => "The worker that ran the call failed",
        WeirCodes.ProtocolViolation => "A worker broke the protocol",
        WeirCodes.Cancelled => "The call was cancelled",
        WeirCodes.WorkerStartFailed => "No worker could be started",
        WeirCodes.ReaderStalled => "The reader made no progress",
        WeirCodes.CrossSiteRefused => "A cross-site request was refused",
        WeirCodes.PayloadTooLarge => "A payload is too large",
        WeirCodes.SenderStalled => "The sender made no progress",
        WeirCodes.OperationStatus => "The operation chose the status of the response",
        WeirCodes.StreamInterrupted => "A stream ended without the proof that it is complete",
        WeirCodes.UnknownEnumValue => "A response has an enum value that the client does not know",
        WeirCodes.UnexpectedResponse => "A response is not what the contract says",
        WeirCodes.StreamGone => "The items of the stream are not kept any more",
        WeirCodes.StreamNotFound => "There is no such stream",
        WeirCodes.JobWithoutResult => "A job has no result",
        WeirCodes.JobOutcomeUnknown => "It is not known whether a job was accepted",
        WeirCodes.JobKeyReused => "The idempotency key belongs to another call",
        WeirCodes.JobStoreUnavailable => "The store of jobs cannot take a job now",
        WeirCodes.ResumeMemoryFull => "The memory for resumable streams is used up",
        WeirCodes.WorkerStartRefused => "The machine could not start a worker",
        WeirCodes.ProgramMissing => "The program of a pool's workers is not installed",
        WeirCodes.ServiceNotRegistered => "A service is not registered",
        WeirCodes.InvalidOptions => "Options contradict each other or the machine",
        WeirCodes.LimitNotApplied => "A limit could not be applied to a worker",
        WeirCodes.WorkerCommandUnknown => "The command line of a worker could not be determined",
        WeirCodes.CatalogMismatch => "A worker runs another build of the application",
        WeirCodes.ConfigurationTooLarge => "The configuration is too large for a worker",
        WeirCodes.PlatformNotSupported => "Isolation is not available on this operating system",
        _ => "The call failed",
    };
}
