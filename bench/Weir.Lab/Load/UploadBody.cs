namespace Weir.Lab.Load;

/// <summary>How contents are sent.</summary>
internal enum UploadBody
{
    /// <summary>One content is the body, of a length that is said before.</summary>
    Sized,

    /// <summary>One content is the body, in chunks.</summary>
    Chunked,

    /// <summary>Files of a form, behind its fields.</summary>
    Form,
}
