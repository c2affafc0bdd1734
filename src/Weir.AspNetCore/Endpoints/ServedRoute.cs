namespace Weir.AspNetCore.Endpoints;

/// <summary>Endpoint metadata: what an operation accepts at one of its paths. One object for each, shared with the same path's extensions.</summary>
/// <param name="verbs">At least one.</param>
internal sealed class ServedRoute(Verbs verbs)
{
    /// <summary>The verbs that the operation accepts there.</summary>
    internal Verbs Verbs => verbs;
}
