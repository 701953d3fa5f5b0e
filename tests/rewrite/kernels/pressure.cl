/* More live values than registers: the compiler itself spills. */
kernel __attribute__((intel_reqd_sub_group_size(16))) void pressure(global int *a, global const int *b, int n)
{
    int i = get_global_id(0);
    int v0 = b[i + 0] * 3;
    int v1 = b[i + 1] * 4;
    int v2 = b[i + 2] * 5;
    int v3 = b[i + 3] * 6;
    int v4 = b[i + 4] * 7;
    int v5 = b[i + 5] * 8;
    int v6 = b[i + 6] * 9;
    int v7 = b[i + 7] * 10;
    int v8 = b[i + 8] * 11;
    int v9 = b[i + 9] * 12;
    int v10 = b[i + 10] * 13;
    int v11 = b[i + 11] * 14;
    int v12 = b[i + 12] * 15;
    int v13 = b[i + 13] * 16;
    int v14 = b[i + 14] * 17;
    int v15 = b[i + 15] * 18;
    int v16 = b[i + 16] * 19;
    int v17 = b[i + 17] * 20;
    int v18 = b[i + 18] * 21;
    int v19 = b[i + 19] * 22;
    int v20 = b[i + 20] * 23;
    int v21 = b[i + 21] * 24;
    int v22 = b[i + 22] * 25;
    int v23 = b[i + 23] * 26;
    int v24 = b[i + 24] * 27;
    int v25 = b[i + 25] * 28;
    int v26 = b[i + 26] * 29;
    int v27 = b[i + 27] * 30;
    int v28 = b[i + 28] * 31;
    int v29 = b[i + 29] * 32;
    int v30 = b[i + 30] * 33;
    int v31 = b[i + 31] * 34;
    int v32 = b[i + 32] * 35;
    int v33 = b[i + 33] * 36;
    int v34 = b[i + 34] * 37;
    int v35 = b[i + 35] * 38;
    int v36 = b[i + 36] * 39;
    int v37 = b[i + 37] * 40;
    int v38 = b[i + 38] * 41;
    int v39 = b[i + 39] * 42;
    int v40 = b[i + 40] * 43;
    int v41 = b[i + 41] * 44;
    int v42 = b[i + 42] * 45;
    int v43 = b[i + 43] * 46;
    int v44 = b[i + 44] * 47;
    int v45 = b[i + 45] * 48;
    int v46 = b[i + 46] * 49;
    int v47 = b[i + 47] * 50;
    int v48 = b[i + 48] * 51;
    int v49 = b[i + 49] * 52;
    int v50 = b[i + 50] * 53;
    int v51 = b[i + 51] * 54;
    int v52 = b[i + 52] * 55;
    int v53 = b[i + 53] * 56;
    int v54 = b[i + 54] * 57;
    int v55 = b[i + 55] * 58;
    int v56 = b[i + 56] * 59;
    int v57 = b[i + 57] * 60;
    int v58 = b[i + 58] * 61;
    int v59 = b[i + 59] * 62;
    int v60 = b[i + 60] * 63;
    int v61 = b[i + 61] * 64;
    int v62 = b[i + 62] * 65;
    int v63 = b[i + 63] * 66;
    int v64 = b[i + 64] * 67;
    int v65 = b[i + 65] * 68;
    int v66 = b[i + 66] * 69;
    int v67 = b[i + 67] * 70;
    int v68 = b[i + 68] * 71;
    int v69 = b[i + 69] * 72;
    int v70 = b[i + 70] * 73;
    int v71 = b[i + 71] * 74;
    int v72 = b[i + 72] * 75;
    int v73 = b[i + 73] * 76;
    int v74 = b[i + 74] * 77;
    int v75 = b[i + 75] * 78;
    int v76 = b[i + 76] * 79;
    int v77 = b[i + 77] * 80;
    int v78 = b[i + 78] * 81;
    int v79 = b[i + 79] * 82;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int s = n;
    s += v0 ^ v3;
    if (s & 1)
        s -= v5;
    s += v1 ^ v10;
    if (s & 2)
        s -= v16;
    s += v2 ^ v17;
    if (s & 4)
        s -= v27;
    s += v3 ^ v24;
    if (s & 8)
        s -= v38;
    s += v4 ^ v31;
    if (s & 16)
        s -= v49;
    s += v5 ^ v38;
    if (s & 1)
        s -= v60;
    s += v6 ^ v45;
    if (s & 2)
        s -= v71;
    s += v7 ^ v52;
    if (s & 4)
        s -= v2;
    s += v8 ^ v59;
    if (s & 8)
        s -= v13;
    s += v9 ^ v66;
    if (s & 16)
        s -= v24;
    s += v10 ^ v73;
    if (s & 1)
        s -= v35;
    s += v11 ^ v0;
    if (s & 2)
        s -= v46;
    s += v12 ^ v7;
    if (s & 4)
        s -= v57;
    s += v13 ^ v14;
    if (s & 8)
        s -= v68;
    s += v14 ^ v21;
    if (s & 16)
        s -= v79;
    s += v15 ^ v28;
    if (s & 1)
        s -= v10;
    s += v16 ^ v35;
    if (s & 2)
        s -= v21;
    s += v17 ^ v42;
    if (s & 4)
        s -= v32;
    s += v18 ^ v49;
    if (s & 8)
        s -= v43;
    s += v19 ^ v56;
    if (s & 16)
        s -= v54;
    s += v20 ^ v63;
    if (s & 1)
        s -= v65;
    s += v21 ^ v70;
    if (s & 2)
        s -= v76;
    s += v22 ^ v77;
    if (s & 4)
        s -= v7;
    s += v23 ^ v4;
    if (s & 8)
        s -= v18;
    s += v24 ^ v11;
    if (s & 16)
        s -= v29;
    s += v25 ^ v18;
    if (s & 1)
        s -= v40;
    s += v26 ^ v25;
    if (s & 2)
        s -= v51;
    s += v27 ^ v32;
    if (s & 4)
        s -= v62;
    s += v28 ^ v39;
    if (s & 8)
        s -= v73;
    s += v29 ^ v46;
    if (s & 16)
        s -= v4;
    s += v30 ^ v53;
    if (s & 1)
        s -= v15;
    s += v31 ^ v60;
    if (s & 2)
        s -= v26;
    s += v32 ^ v67;
    if (s & 4)
        s -= v37;
    s += v33 ^ v74;
    if (s & 8)
        s -= v48;
    s += v34 ^ v1;
    if (s & 16)
        s -= v59;
    s += v35 ^ v8;
    if (s & 1)
        s -= v70;
    s += v36 ^ v15;
    if (s & 2)
        s -= v1;
    s += v37 ^ v22;
    if (s & 4)
        s -= v12;
    s += v38 ^ v29;
    if (s & 8)
        s -= v23;
    s += v39 ^ v36;
    if (s & 16)
        s -= v34;
    s += v40 ^ v43;
    if (s & 1)
        s -= v45;
    s += v41 ^ v50;
    if (s & 2)
        s -= v56;
    s += v42 ^ v57;
    if (s & 4)
        s -= v67;
    s += v43 ^ v64;
    if (s & 8)
        s -= v78;
    s += v44 ^ v71;
    if (s & 16)
        s -= v9;
    s += v45 ^ v78;
    if (s & 1)
        s -= v20;
    s += v46 ^ v5;
    if (s & 2)
        s -= v31;
    s += v47 ^ v12;
    if (s & 4)
        s -= v42;
    s += v48 ^ v19;
    if (s & 8)
        s -= v53;
    s += v49 ^ v26;
    if (s & 16)
        s -= v64;
    s += v50 ^ v33;
    if (s & 1)
        s -= v75;
    s += v51 ^ v40;
    if (s & 2)
        s -= v6;
    s += v52 ^ v47;
    if (s & 4)
        s -= v17;
    s += v53 ^ v54;
    if (s & 8)
        s -= v28;
    s += v54 ^ v61;
    if (s & 16)
        s -= v39;
    s += v55 ^ v68;
    if (s & 1)
        s -= v50;
    s += v56 ^ v75;
    if (s & 2)
        s -= v61;
    s += v57 ^ v2;
    if (s & 4)
        s -= v72;
    s += v58 ^ v9;
    if (s & 8)
        s -= v3;
    s += v59 ^ v16;
    if (s & 16)
        s -= v14;
    s += v60 ^ v23;
    if (s & 1)
        s -= v25;
    s += v61 ^ v30;
    if (s & 2)
        s -= v36;
    s += v62 ^ v37;
    if (s & 4)
        s -= v47;
    s += v63 ^ v44;
    if (s & 8)
        s -= v58;
    s += v64 ^ v51;
    if (s & 16)
        s -= v69;
    s += v65 ^ v58;
    if (s & 1)
        s -= v0;
    s += v66 ^ v65;
    if (s & 2)
        s -= v11;
    s += v67 ^ v72;
    if (s & 4)
        s -= v22;
    s += v68 ^ v79;
    if (s & 8)
        s -= v33;
    s += v69 ^ v6;
    if (s & 16)
        s -= v44;
    s += v70 ^ v13;
    if (s & 1)
        s -= v55;
    s += v71 ^ v20;
    if (s & 2)
        s -= v66;
    s += v72 ^ v27;
    if (s & 4)
        s -= v77;
    s += v73 ^ v34;
    if (s & 8)
        s -= v8;
    s += v74 ^ v41;
    if (s & 16)
        s -= v19;
    s += v75 ^ v48;
    if (s & 1)
        s -= v30;
    s += v76 ^ v55;
    if (s & 2)
        s -= v41;
    s += v77 ^ v62;
    if (s & 4)
        s -= v52;
    s += v78 ^ v69;
    if (s & 8)
        s -= v63;
    s += v79 ^ v76;
    if (s & 16)
        s -= v74;
    a[i] = s;
}
