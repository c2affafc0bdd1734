namespace Weir.Jobs.AspNetCore.Access;

/// <summary>Endpoint metadata: a caller that passes the policy of this endpoint sees every job.</summary>
internal sealed class AdminEndpoint
{
    public static AdminEndpoint Instance { get; } = new();
}
