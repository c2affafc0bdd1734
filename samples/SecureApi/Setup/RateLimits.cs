using System.Globalization;
using System.Security.Claims;
using System.Threading.RateLimiting;

namespace SecureApi.Setup;

/// <summary>Calls of one user per minute; callers without a token share the limit of their address.</summary>
internal static class RateLimits
{
    public const string PerUser = "per-user";

    public static void AddRateLimits(this IServiceCollection services, IConfiguration configuration)
    {
        var calls = configuration.GetValue("RateLimits:CallsPerMinute", 60);
        services.AddRateLimiter(limits =>
        {
            limits.RejectionStatusCode = StatusCodes.Status429TooManyRequests;
            limits.OnRejected = static (context, _) =>
            {
                if (context.Lease.TryGetMetadata(MetadataName.RetryAfter, out var after))
                {
                    context.HttpContext.Response.Headers.RetryAfter = Math.Ceiling(after.TotalSeconds).ToString(CultureInfo.InvariantCulture);
                }

                return ValueTask.CompletedTask;
            };
            limits.AddPolicy(PerUser, http => RateLimitPartition.GetFixedWindowLimiter(
                http.User.FindFirstValue(ClaimTypes.NameIdentifier) ?? $"address {http.Connection.RemoteIpAddress}",
                _ => new FixedWindowRateLimiterOptions { PermitLimit = calls, Window = TimeSpan.FromMinutes(1) }));
        });
    }
}
