using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.Net.Http.Headers;

namespace Weir.IntegrationTests.Services;

/// <summary>Results that write the response themselves.</summary>
[Service(Route = "/answers")]
public sealed class TypedAnswers
{
    [Get("file")] public IResult File() => TypedResults.File(Encoding.UTF8.GetBytes("0123456789"), "text/x-digits", enableRangeProcessing: true, entityTag: new EntityTagHeaderValue("\"v1\""));

    [Post("new")] public Created<TypedAnswer> New(string text) => TypedResults.Created("/answers/5", new TypedAnswer(5, text));

    [Get("{id:int}")]
    public async Task<Results<Ok<TypedAnswer>, NotFound>> Find(int id)
    {
        await Task.Yield();
        return id == 5 ? TypedResults.Ok(new TypedAnswer(5, "five")) : TypedResults.NotFound();
    }

    [Get("lane"), Blocking]
    public IResult Lane(OperationContext context)
    {
        context.Headers["X-Lane"] = "yes";
        return TypedResults.Text("from the lane", statusCode: 203);
    }

    [Get("problem")] public ValueTask<IResult> Refuse() => new(TypedResults.Problem("not today", statusCode: 409));

    [Get("none")] public IResult? None() => null;
}

/// <summary>A body.</summary>
/// <param name="Id">Which.</param>
/// <param name="Text">What.</param>
public sealed record TypedAnswer(int Id, string Text);
