namespace Weir;

/// <summary>
/// Every number of Weir's problems and diagnostics. Numbers are never reused; each has a page
/// <c>docs/diagnostics/WEIR####.md</c>. 1xxx are build errors, 2xxx problems of a call, 3xxx errors of startup,
/// 4xxx log events.
/// </summary>
#if WEIR_GENERATOR
internal
#else
public
#endif
static class WeirCodes
{
    // Build errors.

    /// <summary>A parameter type that cannot be bound.</summary>
    public const string ParameterType = "WEIR1001";

    /// <summary>A result type that cannot be written.</summary>
    public const string ResultType = "WEIR1002";

    /// <summary>A blocking sequence without <c>[Stream]</c>.</summary>
    public const string UnmarkedSequence = "WEIR1003";

    /// <summary>A synchronous method on a service interface.</summary>
    public const string SynchronousContract = "WEIR1004";

    /// <summary>Two operations of one name.</summary>
    public const string DuplicateOperation = "WEIR1005";

    /// <summary>Two services of one name.</summary>
    public const string DuplicateService = "WEIR1006";

    /// <summary>Two served classes for one interface.</summary>
    public const string DuplicateImplementation = "WEIR1007";

    /// <summary>An attribute on the wrong side of the contract.</summary>
    public const string AttributePlacement = "WEIR1008";

    /// <summary>An isolated class with constructor parameters and no <c>[WorkerServices]</c>.</summary>
    public const string WorkerServicesMissing = "WEIR1009";

    /// <summary>A service class of a shape that cannot be created or called.</summary>
    public const string ServiceShape = "WEIR1010";

    /// <summary><c>[Blocking]</c> or <c>[Stream]</c> on a method it does not fit.</summary>
    public const string BlockingShape = "WEIR1011";

    /// <summary>A <c>[WorkerServices]</c> method of the wrong shape, or more than one.</summary>
    public const string WorkerServicesShape = "WEIR1012";

    /// <summary>A name that is not valid in a path.</summary>
    public const string InvalidName = "WEIR1013";

    /// <summary>A class that serves a contract without a method for one of its operations.</summary>
    public const string ContractMismatch = "WEIR1014";

    /// <summary><c>[Throws]</c> with a type that cannot be re-created from a message.</summary>
    public const string ThrowsShape = "WEIR1015";

    /// <summary>An attribute that middleware reads and that generated code cannot construct.</summary>
    public const string PolicyNotCarried = "WEIR1016";

    /// <summary>An attribute of ASP.NET Core that has no effect on an operation.</summary>
    public const string UnsupportedAttribute = "WEIR1017";

    /// <summary><c>[AllowAnonymous]</c> that allows anonymous calls of an operation which a nearer <c>[Authorize]</c> protects.</summary>
    public const string AnonymousOverridesPolicy = "WEIR1018";

    /// <summary>An attribute that is not copied to the endpoint: a warning.</summary>
    public const string AttributeNotCarried = "WEIR1019";

    /// <summary>A validation attribute that generated code cannot evaluate.</summary>
    public const string ValidationNotSupported = "WEIR1020";

    /// <summary>A policy on a type or method that is not served: a warning.</summary>
    public const string PolicyNotServed = "WEIR1021";

    /// <summary><c>AddWeir</c> is called in a library.</summary>
    public const string AddWeirInLibrary = "WEIR1022";

    /// <summary>A route template that its method does not fit, or that another operation has too.</summary>
    public const string RouteTemplate = "WEIR1023";

    /// <summary>An operation that is <c>async void</c>.</summary>
    public const string AsyncVoid = "WEIR1025";

    /// <summary>An application that must be its own worker and never calls <c>WeirWorker.TryRun</c>.</summary>
    public const string WorkerEntryPointMissing = "WEIR1026";

    /// <summary>An isolated operation that takes or returns what exists only in the host, such as the request.</summary>
    public const string HostOnly = "WEIR1035";

    /// <summary>An isolated operation with types that only the serializer knows, in an assembly without <c>[assembly: WeirJson]</c>.</summary>
    public const string WorkerJsonMissing = "WEIR1045";

    /// <summary><c>[assembly: WeirJson]</c> with a class that is no context.</summary>
    public const string JsonContextShape = "WEIR1046";

    /// <summary>An operation that runs on its caller's thread and calls an API that blocks it: a warning.</summary>
    public const string UnmarkedBlocking = "WEIR1050";

    /// <summary>A public static method of a served class, which is not an operation: a warning.</summary>
    public const string StaticMethodNotServed = "WEIR1051";

    /// <summary><c>[Resumable]</c> on an operation that cannot be resumed.</summary>
    public const string ResumableShape = "WEIR1052";

    /// <summary>A change breaks callers that were built with the accepted contract.</summary>
    public const string ContractBroken = "WEIR1053";

    /// <summary>An operation is marked as a job, and its calls cannot be stored.</summary>
    public const string JobShape = "WEIR1054";

    /// <summary>A class implements a contract, and nothing serves it.</summary>
    public const string ContractNotServed = "WEIR1056";

    /// <summary>A parameter's type parses its own text and does not write it.</summary>
    public const string TextNotWritten = "WEIR1057";

    // Problems of a call.

    /// <summary>Arguments that cannot be bound.</summary>
    public const string BadArguments = "WEIR2001";

    /// <summary>No such operation.</summary>
    public const string OperationNotFound = "WEIR2002";

    /// <summary>The operation does not accept this verb.</summary>
    public const string MethodNotAllowed = "WEIR2003";

    /// <summary>No format fits what the caller accepts.</summary>
    public const string NotAcceptable = "WEIR2004";

    /// <summary>The request body is larger than the limit.</summary>
    public const string BodyTooLarge = "WEIR2005";

    /// <summary>The request body is of a media type the operation does not read.</summary>
    public const string UnsupportedMediaType = "WEIR2006";

    /// <summary>The operation's own code threw.</summary>
    public const string HandlerFailed = "WEIR2007";

    /// <summary>The queue of a pool or lane is full.</summary>
    public const string QueueFull = "WEIR2008";

    /// <summary>The host is draining.</summary>
    public const string Draining = "WEIR2009";

    /// <summary>The call's deadline passed.</summary>
    public const string DeadlineExceeded = "WEIR2010";

    /// <summary>The worker that ran the call failed.</summary>
    public const string WorkerLost = "WEIR2011";

    /// <summary>A worker broke the protocol.</summary>
    public const string ProtocolViolation = "WEIR2012";

    /// <summary>The caller cancelled or disconnected.</summary>
    public const string Cancelled = "WEIR2013";

    /// <summary>No worker of the pool could be started.</summary>
    public const string WorkerStartFailed = "WEIR2014";

    /// <summary>A stream's reader made no progress.</summary>
    public const string ReaderStalled = "WEIR2015";

    /// <summary>A cross-site request to an operation that is not safe to repeat.</summary>
    public const string CrossSiteRefused = "WEIR2016";

    /// <summary>A payload larger than one frame may be.</summary>
    public const string PayloadTooLarge = "WEIR2017";

    /// <summary>A status that the operation chose by <c>OperationStatusException</c>.</summary>
    public const string OperationStatus = "WEIR2018";

    /// <summary>The program of a pool's command is not installed.</summary>
    public const string ProgramMissing = "WEIR2019";

    /// <summary>A streamed request's sender made no progress.</summary>
    public const string SenderStalled = "WEIR2020";

    /// <summary>A resumable stream whose items this host no longer has.</summary>
    public const string StreamGone = "WEIR2021";

    /// <summary>No stream with this id that the caller may continue.</summary>
    public const string StreamNotFound = "WEIR2022";

    /// <summary>The host or the machine refused to start a worker.</summary>
    public const string WorkerStartRefused = "WEIR2024";

    /// <summary>A client was built for another contract of the operation.</summary>
    public const string ContractChanged = "WEIR2023";

    /// <summary>The memory for the items of resumable streams is used up.</summary>
    public const string ResumeMemoryFull = "WEIR2025";

    /// <summary>A client received the items of a stream, but not the proof that they are all.</summary>
    public const string StreamInterrupted = "WEIR2030";

    /// <summary>A client received a name or number that its enum does not declare.</summary>
    public const string UnknownEnumValue = "WEIR2031";

    /// <summary>A client received a response that is not what the contract says.</summary>
    public const string UnexpectedResponse = "WEIR2032";

    /// <summary>A job has no result: it was cancelled, lost or interrupted, or there is none with this id.</summary>
    public const string JobWithoutResult = "WEIR2040";

    /// <summary>It is not known whether a job was accepted.</summary>
    public const string JobOutcomeUnknown = "WEIR2041";

    /// <summary>An idempotency key that another call has.</summary>
    public const string JobKeyReused = "WEIR2042";

    /// <summary>The store cannot take a job now.</summary>
    public const string JobStoreUnavailable = "WEIR2043";

    /// <summary>As many jobs of a kind wait as may.</summary>
    public const string TooManyWaitingJobs = "WEIR2044";

    /// <summary>There is no job, schedule or kind of this name that the caller may see.</summary>
    public const string JobNotFound = "WEIR2045";

    /// <summary>A caller that nothing names cannot own a job.</summary>
    public const string JobCallerUnnamed = "WEIR2046";

    /// <summary>What a job had brought is not there any more: the job was deleted or begun again.</summary>
    public const string JobContentGone = "WEIR2047";

    /// <summary>A job was submitted in a transaction that has not committed.</summary>
    public const string JobNotCommitted = "WEIR2048";

    /// <summary>This application accepts no jobs: <c>Weir:Jobs:Accept</c> is <c>false</c>.</summary>
    public const string JobsNotAccepted = "WEIR2049";

    // Errors of startup.

    /// <summary>A service that a constructor needs is not registered.</summary>
    public const string ServiceNotRegistered = "WEIR3001";

    /// <summary>Pool options that contradict each other or the machine.</summary>
    public const string InvalidOptions = "WEIR3002";

    /// <summary>A limit that could not be applied.</summary>
    public const string LimitNotApplied = "WEIR3003";

    /// <summary>The command line of a worker could not be determined.</summary>
    public const string WorkerCommandUnknown = "WEIR3004";

    /// <summary>The worker runs another build of the application than its host.</summary>
    public const string CatalogMismatch = "WEIR3005";

    /// <summary>Isolation is not available on this operating system.</summary>
    public const string PlatformNotSupported = "WEIR3006";

    /// <summary>Endpoint metadata whose middleware has no services.</summary>
    public const string PolicyServicesMissing = "WEIR3010";

    /// <summary>A configuration that is too large for a worker.</summary>
    public const string ConfigurationTooLarge = "WEIR3013";

    /// <summary>Two operations are served at one path for one verb, or a route does not parse.</summary>
    public const string DuplicateRoute = "WEIR3014";

    /// <summary>A type of an operation that the serializer has no metadata for.</summary>
    public const string JsonTypeUnknown = "WEIR3020";

    /// <summary>The catalog is served to anyone outside of development.</summary>
    public const string CatalogUnprotected = "WEIR3023";

    /// <summary>The dashboard is served to anyone.</summary>
    public const string DashboardUnprotected = "WEIR3024";

    /// <summary>The admin endpoints of jobs are open to everyone.</summary>
    public const string JobsAdminUnprotected = "WEIR3025";

    /// <summary>The store of jobs belongs to another process.</summary>
    public const string JobStoreOwned = "WEIR3026";

    /// <summary>The store of jobs cannot be used: it is damaged, of another version, or on a network file system.</summary>
    public const string JobStoreUnusable = "WEIR3027";

    /// <summary>An operation answers every request with a job, and the application serves no jobs.</summary>
    public const string JobEndpointsMissing = "WEIR3028";

    /// <summary>A client is asked for of a type that has none.</summary>
    public const string ClientMissing = "WEIR3030";

    /// <summary>A project that is not C# references a package that needs the generator: a warning.</summary>
    public const string NotCSharp = "WEIR3037";
}
