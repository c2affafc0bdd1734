using Microsoft.AspNetCore.Http;

namespace Weir.Dashboard.Actions;

/// <summary>What became of an action.</summary>
/// <param name="Status">The status of the answer.</param>
/// <param name="Text">What happened, in a sentence.</param>
internal readonly record struct ActionResult(int Status, string Text)
{
    /// <summary>It is done.</summary>
    public static ActionResult Done(string text) => new(StatusCodes.Status200OK, text);

    /// <summary>It has begun, and takes its time.</summary>
    public static ActionResult Begun(string text) => new(StatusCodes.Status202Accepted, text);

    /// <summary>The state is not the one that was seen: nothing happened.</summary>
    public static ActionResult Changed(string text) => new(StatusCodes.Status409Conflict, text);

    /// <summary>The request is wrong: nothing happened.</summary>
    public static ActionResult Wrong(string text) => new(StatusCodes.Status400BadRequest, text);
}
