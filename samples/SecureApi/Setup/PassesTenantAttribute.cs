using Weir;

namespace SecureApi.Setup;

/// <summary>
/// A filter: it runs in the host, where the user is, and puts the tenant into the items of the call. Items that are text travel to a worker;
/// everything else of the request stays in the host.
/// </summary>
internal sealed class PassesTenantAttribute : OperationFilterAttribute
{
    public const string Item = "tenant";

    public override ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
    {
        if (context.Transport is HttpContext http)
        {
            context.Items[Item] = Access.TenantOf(http.User);
        }

        return next();
    }
}
