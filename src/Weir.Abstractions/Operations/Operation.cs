using Weir.Runtime;

namespace Weir;

/// <summary>
/// What the generator knows about one operation. Immutable once its <see cref="Service"/> was built; may be used
/// concurrently.
/// </summary>
public sealed class Operation
{
    // Made when the first call is returned: most operations of most applications are rarely called.
    private ObjectPool<Call>? _calls;

    // The parameter that the transport of the call reads; sent piece by piece where the operation is isolated.
    private Parameter? _attached;

    /// <summary>The name; the second segment of the path, unless <see cref="Routes"/> say otherwise.</summary>
    public required string Name { get; init; }

    /// <summary>The verbs it accepts, at any of its routes.</summary>
    public required Verbs Verbs { get; init; }

    /// <summary>The paths at which it is served over HTTP; by default one, its <see cref="FullName"/>, with all its verbs.</summary>
    public IReadOnlyList<OperationRoute> Routes
    {
        get => field ??= [new OperationRoute(Verbs, FullName)];
        init;
    }

    /// <summary>Where it runs.</summary>
    public Placement Placement { get; init; }

    /// <summary>The pool of an isolated operation; <c>null</c> for others.</summary>
    public string? Pool { get; init; }

    /// <summary>What it returns.</summary>
    public ResultKind ResultKind { get; init; }

    /// <summary>Whether the result may be null.</summary>
    public bool IsResultNullable { get; init; }

    /// <summary>Whether the items of a stream are bytes: without another wish of the caller they are sent as they are, one after the other.</summary>
    public bool StreamsBytes { get; init; }

    /// <summary>The media type of a result that is bytes, as <c>[Produces]</c> or <see cref="MediaTypeAttribute"/> says; <c>null</c>, the default, is <c>application/octet-stream</c>.</summary>
    public string? MediaType { get; init; }

    /// <summary>When the items of a stream are sent.</summary>
    public FlushPolicy Flush { get; init; }

    /// <summary>How a stream continues after its connection was cut: see <see cref="ResumableAttribute"/>. Default <see cref="Resumption.None"/>.</summary>
    public Resumption Resumption { get; init; }

    /// <summary>Whether the method returns only when it is done: a worker runs it on its data thread.</summary>
    public bool IsSynchronous { get; init; }

    /// <summary>Whether the method takes the context, or services of the call.</summary>
    public bool UsesContext { get; init; }

    /// <summary>Whether the method takes the caller, or the context, which has the caller.</summary>
    public bool UsesCaller { get; init; }

    /// <summary>Whether arguments have validation attributes, or are of types that have them.</summary>
    public bool HasValidation { get; init; }

    /// <summary>Whether the method takes no token, so that none has to be made for it.</summary>
    public bool IgnoresCancellation { get; init; }

    /// <summary>Whether running it twice does no harm: see <see cref="IdempotentAttribute"/>.</summary>
    public bool IsIdempotent { get; init; }

    /// <summary>How calls of it run as jobs: see <see cref="JobAttribute"/>. <c>null</c>, the default, for an operation whose calls are no jobs.</summary>
    public OperationJob? Job { get; init; }

    /// <summary>The exceptions that callers may catch by their own type: see <see cref="ThrowsAttribute"/>.</summary>
    public IReadOnlyList<DeclaredException> Throws { get; init; } = [];

    /// <summary>The parameters that callers supply, in order.</summary>
    public IReadOnlyList<Parameter> Parameters
    {
        get;
        init
        {
            field = value;
            foreach (var parameter in value)
            {
                ItemsParameter ??= parameter.Source == ParameterSource.Items ? parameter : null;
                _attached ??= parameter.Source is ParameterSource.Stream or ParameterSource.File ? parameter : null;
            }
        }
    } = [];

    /// <summary>The parameter whose items arrive while the operation runs; <c>null</c> for most operations.</summary>
    public Parameter? ItemsParameter { get; private init; }

    /// <summary>
    /// The parameter of an isolated operation that is content, bytes of any length which arrive while the operation runs: a <c>Stream</c>, a <c>PipeReader</c>, or files of
    /// a form. <c>null</c> for most operations, and for one that runs in the host, which reads the request itself.
    /// </summary>
    public Parameter? ContentParameter => Placement == Placement.Isolated ? _attached : null;

    /// <summary>Whether the request is streamed: items or content of one parameter arrive while the operation runs.</summary>
    public bool StreamsRequest => ItemsParameter is not null || ContentParameter is not null;

    /// <summary>Whether it exchanges content with a worker, in a parameter or as its result: bytes of any length, which are never held as a whole.</summary>
    public bool HasContent => ContentParameter is not null || (ResultKind == ResultKind.Raw && Placement == Placement.Isolated);

    /// <summary>Whether the parameters are numbers, text and bytes only: writing them runs no code of the application, so any thread may.</summary>
    public bool HasPlainArguments { get; init; }

    /// <summary>The filters of the operation and of its class, as declared: the class's first.</summary>
    public IReadOnlyList<OperationFilterAttribute> Filters { get; init; } = [];

    /// <summary>
    /// Makes the endpoint metadata of the operation, in order: the nearest attribute last. Takes what
    /// <see cref="Weir.Service.EndpointMetadata"/> made, and returns all of it together with the attributes of the operation's
    /// methods. <c>null</c>, the default, means that the service's metadata is all there is. Generated code sets it; only the HTTP
    /// server calls it, once, so that a worker never loads the types of the attributes.
    /// </summary>
    public Func<IReadOnlyList<object>, IReadOnlyList<object>>? EndpointMetadata { get; init; }

    /// <summary>
    /// The attributes of the operation's contract, class and methods, the nearest last: those that <see cref="EndpointMetadata"/> makes. For filters; made at the
    /// first request. Attributes of Weir, of the compiler and for debuggers are not among them, nor are filters.
    /// </summary>
    public IReadOnlyList<object> Attributes
    {
        get
        {
            var service = Service.Attributes;
            return field ??= EndpointMetadata?.Invoke(service) ?? service;
        }
    }

    /// <summary>
    /// Returns a method with the parameters, return type and attributes of the operation's own: factories of endpoint filters look at them.
    /// It is never called. <c>null</c>, the default, means that no method is known. Generated code sets it; only the HTTP server calls it.
    /// </summary>
    public Func<Delegate>? Method { get; init; }

    /// <summary>
    /// For each parameter of <see cref="Method"/> its position in <see cref="Parameters"/>; -1 for one that callers do not supply. By
    /// default the parameters of both are the same.
    /// </summary>
    public IReadOnlyList<int> MethodParameters
    {
        get => field ??= [.. Enumerable.Range(0, Parameters.Count)];
        init;
    }

    /// <summary>
    /// Lets the type of the result add metadata to an <c>EndpointBuilder</c> (the first argument): the results of <c>TypedResults</c> describe
    /// status and body. The second is a method with the attributes that it looks at. <c>null</c>, the default, where the type adds none. Generated
    /// code sets it; only the HTTP server calls it.
    /// </summary>
    public Action<object, Delegate>? DescribeEndpoint { get; init; }

    /// <summary>A hash of what callers send and receive: name, routes, parameters, result, and the types in them. Host and worker compare it, and so do a client and a server.</summary>
    public required ulong Signature { get; init; }

    /// <summary>Makes a new call of this operation.</summary>
    public required Func<Operation, Call> CreateCall { get; init; }

    /// <summary>The service it belongs to.</summary>
    public Service Service { get; internal set; } = null!;

    /// <summary><c>Service/Operation</c>, as in logs, metrics, and the path of an operation without a route of its own.</summary>
    public string FullName => field ??= $"{Service.Name}/{Name}";

    /// <summary>What documents and tools show of it: its part of <see cref="Service.Description"/>; <c>null</c> where generated code describes nothing.</summary>
    public OperationDescription? Description
    {
        get
        {
            if (field is null && Service.Description is { } service)
            {
                for (var index = 0; index < service.Operations.Count; index++)
                {
                    field = Service.Operations[index] == this ? service.Operations[index] : field;
                }
            }

            return field;
        }
    }

    /// <summary>
    /// A call of this operation with no arguments set: a used one that was returned (<see cref="Call.Return"/>), or a new one. May
    /// be called concurrently. A call that is not returned is left to the garbage collector.
    /// </summary>
    public Call RentCall()
    {
        var call = _calls?.TryRent() ?? CreateCall(this);
        call.OnRented();
        return call;
    }

    /// <inheritdoc/>
    public override string ToString() => FullName;

    /// <summary>Keeps a call that no code uses any more.</summary>
    internal void Keep(Call call) => LazyInitializer.EnsureInitialized(ref _calls, static () => new ObjectPool<Call>()).Return(call);
}
