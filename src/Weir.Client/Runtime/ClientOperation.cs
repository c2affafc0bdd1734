using System.ComponentModel;
using Weir.Client.Contracts;

namespace Weir.Runtime;

/// <summary>What a client knows of one operation. Written by the generator; immutable.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ClientOperation
{
    private readonly ClientException[] _throws;
    private readonly Func<string> _contract;

    // Where a server has accepted the signature, or an older or newer one of which the difference does not matter; written by any thread.
    private volatile Uri? _confirmedAt;

    /// <summary>Describes an operation.</summary>
    /// <param name="name">Service and operation: <c>Orders/Find</c>.</param>
    /// <param name="verb">The HTTP method that the client uses.</param>
    /// <param name="accept">The value of <c>Accept</c>.</param>
    /// <param name="signature">The hash of its contract, in hexadecimal.</param>
    /// <param name="contract">The contract of its service, as JSON.</param>
    /// <param name="throws">The exceptions that the operation declares.</param>
    public ClientOperation(string name, string verb, string accept, string signature, Func<string> contract, params ClientException[] throws)
    {
        Signature = signature;
        _contract = contract;
        Name = name;
        Method = new HttpMethod(verb);
        Accept = accept;
        _throws = throws;
    }

    /// <summary>Service and operation.</summary>
    public string Name { get; }

    internal HttpMethod Method { get; }

    internal string Accept { get; }

    internal string Signature { get; }

    /// <summary>Whether the server at an address has the operation as the client expects it.</summary>
    internal bool IsConfirmed(Uri address) => _confirmedAt is { } confirmed && (ReferenceEquals(confirmed, address) || confirmed == address);

    /// <summary>A call has succeeded there.</summary>
    internal void Confirm(Uri address) => _confirmedAt = address;

    /// <summary>What a server's contract of the operation changes that breaks its calls; empty for nothing.</summary>
    /// <param name="server">The contract that the server answered with, as JSON.</param>
    internal IReadOnlyList<string> ChangesIn(string server)
    {
        try
        {
            return ContractComparison.FindForClient(Name.Substring(Name.IndexOf('/') + 1), ContractJson.Parse(_contract()), ContractJson.Parse(server));
        }
        catch (FormatException error)
        {
            return [$"the server describes it in a way that this client does not understand ({error.Message})"];
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
        if (problem is { Status: 404, Code: WeirCodes.OperationNotFound } or { Status: 404, Code: "", Detail: "" } or { Status: 405, Code: WeirCodes.MethodNotAllowed })
        {
            return new ContractChangedException(Name, [problem.Status == 404 ? "the server has nothing at its path" : "the server does not accept its verb"], isMissing: true);
        }

        return RemoteProblems.ToException(problem);
    }

    private static string SimpleName(string type) => type.Substring(type.LastIndexOfAny(['.', '+']) + 1);
}
