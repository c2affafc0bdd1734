using Microsoft.AspNetCore.Http;

namespace Weir.AspNetCore.Filters;

/// <summary>
/// Stands for the stream of an operation among endpoint filters, which run before the first item. The operation runs when the outermost filter
/// has returned it.
/// </summary>
internal sealed class OperationStream : IResult
{
    public Task ExecuteAsync(HttpContext httpContext) =>
        throw new InvalidOperationException("The stream of an operation is sent behind the endpoint filters; return this value from the filter instead of executing it.");
}
