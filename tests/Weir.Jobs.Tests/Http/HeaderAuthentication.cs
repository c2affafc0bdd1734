using System.Security.Claims;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Weir.Jobs.Tests.Http;

/// <summary>Believes what the header <c>X-User</c> says: <c>{name identifier}</c>, and behind semicolons <c>issuer=</c>, <c>tenant=</c> and <c>role=</c>; <c>?</c> is an identity without a name.</summary>
internal sealed class HeaderAuthentication(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder)
    : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
{
    public const string Header = "X-User";

    /// <summary>The caller that a header stands for.</summary>
    public static ClaimsPrincipal Principal(string user)
    {
        var parts = user.Split(';');
        var issuer = parts.FirstOrDefault(static part => part.StartsWith("issuer=", StringComparison.Ordinal)) is { } named ? named["issuer=".Length..] : ClaimsIdentity.DefaultIssuer;
        var claims = new List<Claim>();
        if (parts[0] != "?")
        {
            claims.Add(new Claim(ClaimTypes.NameIdentifier, parts[0], null, issuer));
        }

        foreach (var part in parts.Skip(1))
        {
            if (part.Split('=') is [("tenant" or "role") and var type, var value])
            {
                claims.Add(new Claim(type == "role" ? ClaimTypes.Role : type, value, null, issuer));
            }
        }

        return new ClaimsPrincipal(new ClaimsIdentity(claims, "header"));
    }

    protected override Task<AuthenticateResult> HandleAuthenticateAsync() => Task.FromResult(Request.Headers[Header] is [{ Length: > 0 } user]
        ? AuthenticateResult.Success(new AuthenticationTicket(Principal(user), "header"))
        : AuthenticateResult.NoResult());
}
