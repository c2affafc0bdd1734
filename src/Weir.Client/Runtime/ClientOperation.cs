using System.ComponentModel;
using Weir.Client.Contracts;

namespace Weir.Runtime;

/// <summary>What a client knows of one operation. Written by the generator; immutable.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ClientOperation
{
    private readonly ClientException[] _throws;
    private readonly Func<string> _contract;

    // Of the requests about a job, whose answers are not made by the contract alone; null for calls.
    private readonly string? _jobMedia;

    // Read from the contract when it is first asked for.
    private Tuple<string?, bool>? _job;

    // Replaced when the client has judged another contract; written under the lock, read by any thread.
    private readonly object _lock = new();
    private volatile KnownSignatures _known;

    /// <summary>Describes an operation.</summary>
    /// <param name="name">Service and operation: <c>Orders/Find</c>.</param>
    /// <param name="verb">The HTTP method that the client uses.</param>
    /// <param name="accept">The value of <c>Accept</c>.</param>
    /// <param name="signature">The hash of its contract, in hexadecimal.</param>
    /// <param name="contract">The contract of its service, as JSON.</param>
    /// <param name="throws">The exceptions that the operation declares.</param>
    public ClientOperation(string name, string verb, string accept, string signature, Func<string> contract, params ClientException[] throws)
    {
        _contract = contract;
        _known = new KnownSignatures(accept, signature);
        Name = name;
        Method = new HttpMethod(verb);
        _throws = throws;
    }

    private ClientOperation(ClientOperation call, HttpMethod method, string media)
    {
        _contract = call._contract;
        _known = call._known;
        _throws = call._throws;
        _jobMedia = media;
        Name = call.Name;
        Method = method;
    }

    /// <summary>Service and operation.</summary>
    public string Name { get; }

    /// <summary>The operation's name without its service.</summary>
    internal string OwnName => Name.Substring(Name.IndexOf('/') + 1);

    internal HttpMethod Method { get; }

    /// <summary>The value of <c>Accept</c>: what the client reads, and the contracts that it knows.</summary>
    /// <param name="isSentOnce">Whether the request cannot be sent again, so that the server runs it whatever its contract is.</param>
    internal string Accept(bool isSentOnce) => _jobMedia ?? (isSentOnce ? _known.AcceptOfAny : _known.Accept);

    /// <summary>Whether it is the client's own contract, or one of which the difference does not matter.</summary>
    internal bool Knows(string signature) => _jobMedia is not null || _known.Has(signature);

    /// <summary>What the client reads: media ranges.</summary>
    internal string Media => _known.Media;

    /// <summary>The kind of the jobs that its requests become; <c>null</c> where they become none.</summary>
    internal string? JobKind => Job.Kind;

    /// <summary>Whether its calls cannot be made: each request becomes a job.</summary>
    internal bool IsAlwaysJob => _jobMedia is null && Job.IsAlways;

    /// <summary>A request about a job of the operation: it declares the same exceptions, and no contract is judged, because the job may be of an older one.</summary>
    /// <param name="method">The verb of the request.</param>
    /// <param name="media">What is read: media ranges.</param>
    internal ClientOperation OfJob(HttpMethod method, string media) => new(this, method, media);

    /// <summary>The client has compared a server's contract with its own, and can call it.</summary>
    internal void Add(string signature)
    {
        lock (_lock)
        {
            _known = _known.With(signature);
        }
    }

    /// <summary>What a server's contract of the operation changes that breaks its calls; empty for nothing.</summary>
    /// <param name="server">The contract that the server answered with, as JSON.</param>
    internal IReadOnlyList<string> ChangesIn(string server)
    {
        try
        {
            return ContractComparison.FindForClient(OwnName, ContractJson.Parse(_contract()), ContractJson.Parse(server));
        }
        catch (Exception error) when (error is FormatException or InvalidOperationException or InvalidCastException or KeyNotFoundException or ArgumentException or NullReferenceException)
        {
            return [$"the server describes it in a way that this client does not understand ({error.Message})"];
        }
    }

    private (string? Kind, bool IsAlways) Job
    {
        get
        {
            var (kind, isAlways) = _job ??= ContractComparison.Job(OwnName, ContractJson.Parse(_contract())).ToTuple();
            return (kind, isAlways);
        }
    }

    /// <summary>The exception of a problem: the one that the operation declares, or else the one that Weir has for it.</summary>
    internal Exception ToException(RemoteProblem problem)
    {
        // A contract may have its types in another namespace than the server's: then the simple name decides.
        var thrown = _throws.Length == 0 || problem.Thrown is not { } name ? null
            : Array.Find(_throws, one => one.TypeName == name) ?? Array.Find(_throws, one => SimpleName(one.TypeName) == SimpleName(name));
        if (thrown is not null)
        {
            return thrown.Create(problem.Detail);
        }

        // Another program answers so where it has nothing at the path: the operation, or all of Weir, is somewhere else.
        if (_jobMedia is null && problem is { Status: 404, Code: WeirCodes.OperationNotFound } or { Status: 404, Code: "", Detail: "" } or { Status: 405, Code: WeirCodes.MethodNotAllowed })
        {
            return new ContractChangedException(Name, [problem.Status == 404 ? "the server has nothing at its path" : "the server does not accept its verb"], isMissing: true);
        }

        return RemoteProblems.ToException(problem);
    }

    private static string SimpleName(string type) => type.Substring(type.LastIndexOfAny(['.', '+']) + 1);
}
