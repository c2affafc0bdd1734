namespace Weir.AspNetCore.Problems;

/// <summary>What each code means, in one line.</summary>
internal static class ProblemTitles
{
    internal static string Of(string code) => code switch
    {
        WeirCodes.BadArguments => "The arguments do not bind",
        WeirCodes.OperationNotFound => "There is no such operation",
        WeirCodes.MethodNotAllowed => "The operation does not answer this verb",
        WeirCodes.NotAcceptable => "No format fits what the request accepts",
        WeirCodes.BodyTooLarge => "The request body is too large",
        WeirCodes.UnsupportedMediaType => "The operation does not read this media type",
        WeirCodes.HandlerFailed => "The operation failed",
        WeirCodes.QueueFull => "Too many calls are waiting",
        WeirCodes.Draining => "The server is shutting down",
        WeirCodes.DeadlineExceeded => "The deadline passed",
        WeirCodes.WorkerLost => "The worker that ran the call ended",
        WeirCodes.ProtocolViolation => "A worker broke the protocol",
        WeirCodes.Cancelled => "The call was cancelled",
        WeirCodes.WorkerStartFailed => "No worker could be started",
        WeirCodes.ReaderStalled => "The reader made no progress",
        WeirCodes.CrossSiteRefused => "A cross-site request was refused",
        WeirCodes.PayloadTooLarge => "A payload is too large",
        WeirCodes.SenderStalled => "The sender made no progress",
        WeirCodes.OperationStatus => "The operation answered with a status",
        WeirCodes.WorkerStartRefused => "The machine could not start a worker",
        WeirCodes.ProgramMissing => "A program that serves the operation is not installed",
        WeirCodes.ServiceNotRegistered => "A service that the operation needs is not registered",
        WeirCodes.InvalidOptions => "The options do not fit each other or the machine",
        WeirCodes.LimitNotApplied => "A limit could not be applied to a worker",
        WeirCodes.WorkerCommandUnknown => "The command line of a worker is not known",
        WeirCodes.CatalogMismatch => "A worker runs another build of the application",
        WeirCodes.PlatformNotSupported => "Isolation is not available on this operating system",
        _ => "The call did not end well",
    };
}
