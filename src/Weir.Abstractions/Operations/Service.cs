namespace Weir;

/// <summary>What the generator knows about one service. Immutable; may be used concurrently.</summary>
public sealed class Service
{
    private readonly IReadOnlyList<Operation> _operations = [];
    private object? _shared;

    /// <summary>The name; the first segment of the path, unless <see cref="Route"/> says otherwise.</summary>
    public required string Name { get; init; }

    /// <summary>The template that the paths of its operations start with, without slashes around it: see <see cref="ServiceAttribute.Route"/>. By default the name.</summary>
    public string Route
    {
        get => field ??= Name;
        init;
    }

    /// <summary>The served class, as C# writes it; of a foreign service the interface.</summary>
    public required string TypeName { get; init; }

    /// <summary>The interface that the class serves, as C# writes it; <c>null</c>, the default, where the class is its own contract.</summary>
    public string? ContractName { get; init; }

    /// <summary>The served class, where one instance may come from the container; <c>null</c>, the default, where it never does. Called once by each application.</summary>
    public Func<Type>? ClassType { get; init; }

    /// <summary>The interface that the class implements and serves; <c>null</c>, the default, without one. Called once by each application.</summary>
    public Func<Type>? ContractType { get; init; }

    /// <summary>Makes an instance from the services of one call.</summary>
    public required Func<IServiceProvider, object> CreateInstance { get; init; }

    /// <summary>Whether one instance serves all calls: the class has neither constructor parameters nor instance fields.</summary>
    public bool IsShared { get; init; }

    /// <summary>Whether workers in another language serve it, and there is no class: its operations run only in their pool.</summary>
    public bool IsForeign { get; init; }

    /// <summary>Whether it is served over HTTP: see <see cref="ServiceAttribute.Http"/>. Default <c>true</c>.</summary>
    public bool IsServedOverHttp { get; init; } = true;

    /// <summary>Whether the constructor takes services.</summary>
    public bool NeedsServices { get; init; }

    /// <summary>
    /// Makes the endpoint metadata that all operations share: the attributes of the contract and of the class, the nearest last.
    /// <c>null</c>, the default, means that there are none. Generated code sets it; only the HTTP server calls it, once, so that a
    /// worker never loads the types of the attributes.
    /// </summary>
    public Func<IReadOnlyList<object>>? EndpointMetadata { get; init; }

    /// <summary>Makes <see cref="Description"/>. <c>null</c>, the default, means that there is none. Generated code sets it.</summary>
    public Func<ServiceDescription>? Describe { get; init; }

    /// <summary>What documents and tools show of it, made when it is first read; <c>null</c> where generated code describes nothing.</summary>
    public ServiceDescription? Description => field ??= Describe?.Invoke();

    /// <summary>The attributes that all operations share, for <see cref="Operation.Attributes"/>.</summary>
    internal IReadOnlyList<object> Attributes => field ??= EndpointMetadata?.Invoke() ?? [];

    /// <summary>Its operations.</summary>
    public required IReadOnlyList<Operation> Operations
    {
        get => _operations;
        init
        {
            _operations = value;
            foreach (var operation in value)
            {
                operation.Service = this;
            }
        }
    }

    /// <summary>Returns the instance for one call: the shared one, or a new one that the caller disposes.</summary>
    /// <param name="services">The services of the call.</param>
    public object GetInstance(IServiceProvider services) =>
        IsShared ? _shared ??= CreateInstance(services) : CreateInstance(services);
}
