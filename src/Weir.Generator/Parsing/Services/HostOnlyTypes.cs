using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Services;

/// <summary>What a request has only in the process that answers it.</summary>
internal static class HostOnlyTypes
{
    private const string Http = "Microsoft.AspNetCore.Http";
    private const string Transport = "Transport<global::Microsoft.AspNetCore.Http.HttpContext>()";

    /// <summary>An expression for what a request supplies for a type, of a call over HTTP; <c>null</c> for other types.</summary>
    public static string? OfRequest(ITypeSymbol declared)
    {
        var type = TypeNames.Core(declared);
        return type.Is(Http, "HttpContext") ? Transport
            : type.Is(Http, "HttpRequest") ? Transport + ".Request"
            : type.Is(Http, "HttpResponse") ? Transport + ".Response"
            : null;
    }

    /// <summary>Whether a result writes the response itself: <c>IResult</c>, <c>TypedResults</c>, <c>Results&lt;A, B&gt;</c>.</summary>
    public static bool IsResult(ITypeSymbol declared) => TypeNames.Core(declared) is INamedTypeSymbol type && type.IsOrImplements(Http, "IResult");

    /// <summary>Whether a result adds metadata to its endpoint.</summary>
    public static bool DescribesEndpoint(ITypeSymbol declared) => declared.AllInterfaces.Any(static one => one.Is(Http + ".Metadata", "IEndpointMetadataProvider"));

    /// <summary>Whether a value is a stream of bytes: <c>Stream</c> or <c>PipeReader</c>.</summary>
    public static bool IsByteStream(ITypeSymbol declared)
    {
        var type = TypeNames.Core(declared);
        return type.Is("System.IO", "Stream") || type.Is("System.IO.Pipelines", "PipeReader");
    }

    /// <summary>The source of a parameter that gets the request's body unread, or files of a form; <c>null</c> for other types.</summary>
    public static string? AttachedSource(ITypeSymbol declared)
    {
        var type = TypeNames.Core(declared);
        return IsByteStream(type) ? "Stream"
            : type.Is(Http, "IFormFile") || type.Is(Http, "IFormFileCollection") || type.Is(Http, "IFormCollection")
                || type.ArgumentOf("System.Collections.Generic", "IReadOnlyList`1").Is(Http, "IFormFile") ? "File"
            : null;
    }

    /// <summary>Whether a worker can get it piece by piece: content of any length.</summary>
    public static bool IsContent(ITypeSymbol declared) => AttachedSource(declared) is not null && !TypeNames.Core(declared).Is(Http, "IFormFileCollection") && !TypeNames.Core(declared).Is(Http, "IFormCollection");

    /// <summary>What an operation takes in a worker, in place of a parameter that exists only in the host.</summary>
    public static string InsteadOf(ITypeSymbol declared) => TypeNames.Core(declared).Name switch
    {
        "HttpResponse" => "set OperationContext.StatusCode and Headers, and return the content",
        "IFormFileCollection" => "take IReadOnlyList<IFormFile>, which arrives file by file",
        "IFormCollection" => "take the fields of the form as parameters, such as [FromForm] string title, and the files as IFormFile or IReadOnlyList<IFormFile>",
        _ => "take what it needs as parameters, such as [FromHeader] string tenant, and set status and headers by OperationContext",
    };
}
