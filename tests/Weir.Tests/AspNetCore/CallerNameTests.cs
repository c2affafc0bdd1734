using System.Security.Claims;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Diagnostics;

namespace Weir.Tests.AspNetCore;

public sealed class CallerNameTests
{
    [Theory]
    [InlineData("Ann", ClaimTypes.Name, "Ann", ClaimTypes.NameIdentifier, "17")]
    [InlineData("17", ClaimTypes.NameIdentifier, "17", "sub", "18")]
    [InlineData("18", "sub", "18")]
    [InlineData("17", ClaimTypes.Name, "", ClaimTypes.NameIdentifier, "17")]
    [InlineData(null, "sub", "")]
    [InlineData(null)]
    public void A_caller_is_named_by_its_name_else_by_its_id(string? expected, params string[] claims) =>
        Assert.Equal(expected, CallerName.Of(new DefaultHttpContext { User = new ClaimsPrincipal(new ClaimsIdentity(claims.Chunk(2).Select(static pair => new Claim(pair[0], pair[1])), "test")) }));
}
