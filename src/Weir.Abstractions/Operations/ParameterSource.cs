namespace Weir;

/// <summary>Where a parameter's value comes from.</summary>
public enum ParameterSource
{
    /// <summary>A named value of the path, the query, a form, or the JSON body.</summary>
    Value = 0,

    /// <summary>The JSON body is this parameter; the others come from path and query.</summary>
    Body = 1,

    /// <summary>The request's body, as bytes; the others come from path and query.</summary>
    Raw = 2,

    /// <summary>The request's body, item by item while the operation runs; the others come from path and query.</summary>
    Items = 3,

    /// <summary>A value of the query, and of nothing else: <c>[FromQuery]</c>.</summary>
    Query = 4,

    /// <summary>A value of the path, and of nothing else: <c>[FromRoute]</c>.</summary>
    Route = 5,

    /// <summary>A header: <c>[FromHeader]</c>. A list is separated by commas, over one or several headers of the name.</summary>
    Header = 6,

    /// <summary>A value of a form, and of nothing else: <c>[FromForm]</c>. The request's body is then a form.</summary>
    Form = 7,

    /// <summary>The request's body, unread: a <c>Stream</c> or <c>PipeReader</c>. The others come from path, query and headers.</summary>
    Stream = 8,

    /// <summary>A file of a multipart form, or all of them: <c>IFormFile</c>, <c>IFormFileCollection</c>.</summary>
    File = 9,
}
