using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Json;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Weir.AspNetCore.Http;

namespace Weir.AspNetCore.Filters;

/// <summary>Writes what a filter returned in place of an operation's result, as a minimal API writes it.</summary>
internal static class ReturnedValue
{
    internal static Task WriteAsync(HttpContext http, object? value)
    {
        switch (value)
        {
            case IResult result:
                return result.ExecuteAsync(http);
            case string text:
                http.Response.ContentType ??= MediaTypes.TextUtf8;
                return http.Response.WriteAsync(text, http.RequestAborted);
            default:
                var options = (http.RequestServices.GetService<IOptions<JsonOptions>>()?.Value ?? new JsonOptions()).SerializerOptions;
                return http.Response.WriteAsJsonAsync(value, options.GetTypeInfo(value?.GetType() ?? typeof(object)), cancellationToken: http.RequestAborted);
        }
    }
}
