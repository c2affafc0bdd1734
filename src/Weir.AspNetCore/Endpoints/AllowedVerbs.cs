using Microsoft.AspNetCore.Http;

namespace Weir.AspNetCore.Endpoints;

/// <summary>The verbs of one operation, and the <c>Allow</c> header that lists them.</summary>
internal sealed class AllowedVerbs
{
    private static readonly string[] Names = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"];

    private readonly Verbs _verbs;

    internal AllowedVerbs(Verbs verbs)
    {
        _verbs = verbs;
        Header = string.Join(", ", Names.Where(Contains).Append("OPTIONS"));
    }

    /// <summary>The value of <c>Allow</c>.</summary>
    internal string Header { get; }

    /// <summary>Whether the operation runs for this verb.</summary>
    internal bool Contains(string method) => (_verbs & Parse(method)) != 0;

    /// <summary>Whether the verb only reads: such a request has no body and may come from any site.</summary>
    internal static bool IsSafe(string method) => HttpMethods.IsGet(method) || HttpMethods.IsHead(method);

    /// <summary>The verb of a method's name; <see cref="Verbs.None"/> for one that no operation accepts.</summary>
    internal static Verbs Parse(string method) =>
        HttpMethods.IsGet(method) || HttpMethods.IsHead(method) ? Verbs.Get
        : HttpMethods.IsPost(method) ? Verbs.Post
        : HttpMethods.IsPut(method) ? Verbs.Put
        : HttpMethods.IsDelete(method) ? Verbs.Delete
        : HttpMethods.IsPatch(method) ? Verbs.Patch
        : Verbs.None;
}
