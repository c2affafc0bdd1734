using System.Text;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Http;

namespace Weir.AspNetCore.Responses;

/// <summary>Answers with the status and the text that an operation chose.</summary>
internal static class StatusResponse
{
    internal static async Task WriteAsync(HttpContext http, OperationStatusException chosen, string content)
    {
        var response = http.Response;
        if (response.HasStarted)
        {
            http.Abort();
            return;
        }

        response.StatusCode = chosen.StatusCode;
        ResponseHeaders.Add(response.Headers, chosen.Headers);
        if (!ResponseHeaders.AllowsBody(chosen.StatusCode))
        {
            return;
        }

        var body = Encoding.UTF8.GetBytes(content);
        response.ContentType ??= MediaTypes.TextUtf8;
        response.ContentLength = body.Length;
        if (!HttpMethods.IsHead(http.Request.Method))
        {
            await response.BodyWriter.WriteAsync(body);
        }
    }
}
