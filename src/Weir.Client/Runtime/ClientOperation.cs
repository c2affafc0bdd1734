using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>What a client knows of one operation. Written by the generator; immutable.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ClientOperation
{
    private readonly ClientException[] _throws;

    /// <summary>Describes an operation.</summary>
    /// <param name="name">Service and operation: <c>Orders/Find</c>.</param>
    /// <param name="verb">The HTTP method that the client uses.</param>
    /// <param name="accept">The value of <c>Accept</c>.</param>
    /// <param name="throws">The exceptions that the operation declares.</param>
    public ClientOperation(string name, string verb, string accept, params ClientException[] throws)
    {
        Name = name;
        Method = new HttpMethod(verb);
        Accept = accept;
        _throws = throws;
    }

    /// <summary>Service and operation.</summary>
    public string Name { get; }

    internal HttpMethod Method { get; }

    internal string Accept { get; }

    /// <summary>The exception of a problem: the one that the operation declares, or else the one that Weir has for it.</summary>
    internal Exception ToException(RemoteProblem problem)
    {
        foreach (var declared in _throws)
        {
            if (declared.TypeName == problem.Thrown)
            {
                return declared.Create(problem.Detail);
            }
        }

        return RemoteProblems.ToException(problem);
    }
}
